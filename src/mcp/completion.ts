import type { Server } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Catalog } from '../catalog/model.ts';
import type { Parameter } from '../types/node.ts';
import { invalidParams } from './pages.ts';

const COMPLETE_PARAMS = v.looseObject({
  ref: v.variant('type', [
    v.looseObject({ type: v.literal('ref/prompt'), name: v.string() }),
    v.looseObject({ type: v.literal('ref/resource'), uri: v.string() }),
  ]),
  argument: v.looseObject({ name: v.string(), value: v.string() }),
});

type Reference = v.InferOutput<typeof COMPLETE_PARAMS>['ref'];

/** Values that one answer may hold (MCP, "Completion"). */
const MOST = 100;

/** `completion/complete`: the declared values of a parameter that begin as the client's text does. */
export function answerCompletion(server: Server, catalog: Catalog): void {
  server.setRequestHandler('completion/complete', { params: COMPLETE_PARAMS }, ({ ref, argument }) => {
    const parameter = parametersOf(catalog, ref).find(({ name }) => name === argument.name);
    const values = parameter === undefined ? [] : valuesOf(parameter).filter(beginsWith(argument.value));
    return {
      completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST },
    };
  });
}

function parametersOf({ prompts, resources }: Catalog, ref: Reference): readonly Parameter[] {
  const entries = new Map<string, { readonly parameters: readonly Parameter[] }>(
    Object.entries(ref.type === 'ref/prompt' ? prompts : resources),
  );
  const key = ref.type === 'ref/prompt' ? ref.name : ref.uri;
  const entry = entries.get(key);
  if (entry !== undefined) return entry.parameters;
  const kind = ref.type === 'ref/prompt' ? 'prompt' : 'resource template';
  throw invalidParams(`Unknown ${kind}: ${key.slice(0, 128)}`);
}

function valuesOf({ type, enum: allowed }: Parameter): readonly string[] {
  if (allowed === undefined) return type === 'boolean' ? ['true', 'false'] : [];
  return allowed
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

function beginsWith(text: string): (value: string) => boolean {
  const wanted = text.toLowerCase();
  return (value) => value.toLowerCase().startsWith(wanted);
}
