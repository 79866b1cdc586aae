import type { CompiledPython, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { logIdsOf, type RequestContext, type User } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Python, PythonResult, Span } from '../ports.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { concealedTexts } from '../redaction/redact.ts';
import { formatOf } from '../types/formats.ts';
import type { TypeNode } from '../types/node.ts';
import type { Advance } from './notifications.ts';
import { callTexts, createPythonHost } from './python-host.ts';
import type { Runtime } from './runtime.ts';
import type { StatementScan } from './scan.ts';
import { abortReason, MOST_READ_BYTES } from './sql.ts';

/** Calls an endpoint's function with its arguments by name. Its statements run as the caller. */
export async function runPython(
  runtime: Runtime,
  entry: PythonEntry,
  values: JsonObject,
  work: PythonWork,
): Promise<PythonResult> {
  const python = await openPython(runtime, entry);
  const { file, function: name } = entry.source;
  const { signal } = work.context;
  const ended = new AbortController();
  return work.span.span('svc.python.execute', {}, async (span) => {
    const host = createPythonHost(runtime, entry, { ...work, span, ended: ended.signal, args: values });
    const request = {
      file,
      name,
      args: values,
      kinds: kindsOf(entry),
      user: toPythonUser(work.context.user),
      maxRows: entry.limits.rows,
      maxBytes: Math.max(entry.limits.bytes, MOST_READ_BYTES),
      printed: {
        hidden: concealedTexts(callTexts(entry, values, work.context)),
        fields: logIdsOf(work.context),
      },
    };
    try {
      const result = await python.call(request, host, { signal, timeoutMs: entry.limits.timeoutMs });
      work.onRun();
      return result;
    } catch (thrown) {
      throw abortReason(signal) ?? thrown;
    } finally {
      // A statement of a function that was ended has nobody left to answer.
      ended.abort();
    }
  });
}

async function openPython({ python }: Runtime, { name }: PythonEntry): Promise<Python> {
  if (python !== undefined) return python();
  throw new SvcError('python_unavailable', `${name} is in Python, which this server does not run.`);
}

function toPythonUser(user: User | null): JsonObject | null {
  if (user === null) return null;
  const { externalToken, apiKey: _, ...known } = user;
  return { ...known, external_token: externalToken };
}

/** A tool or a resource in Python. */
export type PythonEntry = (ToolEntry | ResourceEntry) & { readonly source: CompiledPython };

/** Whether an endpoint is written in Python. */
export function isPython(entry: ToolEntry | ResourceEntry): entry is PythonEntry {
  return entry.source.language === 'python';
}

/** The context of one call of a function. */
export interface PythonWork {
  readonly context: RequestContext;
  readonly span: Span;
  readonly advance: Advance;
  /** Collects the events that the function reports for the audit record. */
  readonly events: JsonObject[];
  /** Collects the estimates of the function's statements. */
  readonly scans: StatementScan[];
  /** Called when the function begins to run. */
  readonly onRun: () => void;
}

const kinds = new WeakMap<PythonEntry, JsonObject>();

/** Lists the arguments that become other than JSON types in Python (docs/reference/python.md). */
export function kindsOf(entry: PythonEntry): JsonObject {
  const known = kinds.get(entry);
  if (known !== undefined) return known;
  const parameters = [...entry.parameters, ...answerParameters(entry.ask ?? [])];
  const found = fieldsOf(parameters.map((parameter) => [parameter.name, parameter]));
  kinds.set(entry, found);
  return found;
}

function fieldsOf(fields: readonly (readonly [string, TypeNode])[]): JsonObject {
  const found = fields.flatMap(([name, node]) => {
    const kind = kindOf(node);
    return kind === null ? [] : [[name, kind] as const];
  });
  return Object.fromEntries(found);
}

function kindOf({ type, format, items, properties }: TypeNode): JsonValue {
  switch (type) {
    case 'integer':
    case 'number':
      return type;
    case 'string':
      return format === undefined ? null : (formatOf(format).python?.kind ?? null);
    case 'array':
      return wrapped('items', items === undefined ? null : kindOf(items));
    case 'object': {
      const fields = fieldsOf(Object.entries(properties ?? {}));
      return wrapped('properties', Object.keys(fields).length === 0 ? null : fields);
    }
    case 'boolean':
      return null;
  }
}

function wrapped(key: string, kind: JsonValue): JsonValue {
  return kind === null ? null : { [key]: kind };
}
