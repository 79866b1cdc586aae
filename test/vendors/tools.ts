import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openProjectFiles } from '../../adapters/node/project/project-files.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { JsonObject } from '../../src/json.ts';
import { toEraTool } from '../../src/mcp/era.ts';
import { loadProject } from '../../src/project/load.ts';
import { exampleOf } from '../../src/types/example.ts';
import type { Parameter, TypeNode } from '../../src/types/node.ts';
import { toInputSchema, toOutputSchema } from '../../src/types/schema.ts';
import { randomNode } from '../unit/types/nodes.ts';
import { createRandom, type Random } from '../unit/types/random.ts';

/** A tool as `tools/list` shows it to clients of 2025-11-25, the newest revision that all of them speak. */
export type ListedTool = JsonObject & { readonly name: string; readonly inputSchema: JsonObject };

const EXAMPLES = 'examples';
const GENERATED = 300;
const SEED = 23;

/** The tools of all examples, each under the name `<example>__<tool>`. */
export async function exampleTools(): Promise<readonly ListedTool[]> {
  const names = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const listed = names.map(async ({ name }) => {
    const root = join(EXAMPLES, name);
    const catalog = await compileCatalog(await loadProject(await openProjectFiles(root), root));
    return Object.values(catalog.tools).map((entry) => {
      const tool = toEraTool(entry, 'legacy');
      return toListed(`${name}__${entry.name}`, tool);
    });
  });
  return (await Promise.all(listed)).flat();
}

/** Tools whose parameters and results use the whole endpoint language; the same at each run. */
export function generatedTools(count = GENERATED): readonly ListedTool[] {
  const random = createRandom(SEED);
  return Array.from({ length: count }, (_, number) => {
    const parameters = random
      .list(4, () => randomNode(random))
      .map((node, index) => toParameter(random, node, index));
    const returns = random.chance(0.5)
      ? { outputSchema: toObjectSchema(toOutputSchema(randomNode(random))) }
      : {};
    return toListed(`generated__${number}`, { inputSchema: toInputSchema(parameters), ...returns });
  });
}

/** A required parameter, or one with a default; some have examples. */
function toParameter(random: Random, node: TypeNode, index: number): Parameter {
  const name = `p${index}`;
  const example = exampleOf(node);
  if (example === undefined) return { ...node, name };
  if (random.chance(0.3)) return { ...node, name, default: example };
  if (random.chance(0.1)) return { ...node, name, default: null };
  return random.chance(0.2) ? { ...node, name, examples: [example] } : { ...node, name };
}

/** Clients of 2025-11-25 know results that are objects only. */
function toObjectSchema(schema: JsonObject): JsonObject {
  if (schema.type === 'object') return schema;
  return { type: 'object', properties: { result: schema }, required: ['result'] };
}

function toListed(name: string, { inputSchema, ...tool }: JsonObject): ListedTool {
  if (typeof inputSchema !== 'object' || inputSchema === null || Array.isArray(inputSchema)) {
    throw new Error(`${name} has no schema of its arguments`);
  }
  return { description: 'Generated.', ...tool, name, inputSchema: inputSchema as JsonObject };
}
