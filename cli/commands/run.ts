import { randomUUID } from 'node:crypto';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { Catalog, ToolEntry } from '../../src/catalog/model.ts';
import type { RequestContext, User } from '../../src/context.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import { callTool } from '../../src/endpoint/execute.ts';
import type { Outcome } from '../../src/endpoint/runtime.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import type { Database } from '../../src/ports.ts';
import { nearestName } from '../../src/types/nearest.ts';
import type { Run } from '../command.ts';
import { toRefusal } from '../findings.ts';
import type { Input } from '../input.ts';
import { createLog } from '../log.ts';
import type { Output } from '../output.ts';
import { parseParameters } from '../parameters.ts';
import {
  type CheckedProject,
  checkProject,
  databaseOf,
  openProjectDatabase,
  siteOf,
  soundPart,
} from '../project.ts';
import { parseUser } from '../user.ts';
import { toText } from '../value.ts';

/** `svc run tool <name>`: one call as a client's would be, with a simulated user. */
export const run: Run = async (input, output) => {
  const [kind, name = ''] = input.args;
  if (kind !== 'tool') throw new SvcError('usage', `${kind} is no kind of endpoint that runs: tool.`);
  const args = await parseParameters(input.list('param'));
  const user = await parseUser(input.text('userContext'));
  const outcome = await call(input, { name, args, user }, output);
  output.data(outcome.value, () => toText(outcome.value));
  if (outcome.truncated) output.note(outcome.truncated.hint);
  return 0;
};

interface Call {
  readonly name: string;
  readonly args: JsonObject;
  readonly user: User | null;
}

async function call(input: Input, { name, args, user }: Call, output: Output): Promise<Outcome> {
  const checked = await checkProject(input);
  siteOf(checked);
  const catalog = await compileCatalog(soundPart(checked));
  const entry = entryOf(name, catalog, checked);
  // Opened by the first query, so that bad arguments are told without it.
  let database: Promise<Database> | undefined;
  const open = () => {
    database = openProjectDatabase(checked.project.root, databaseOf(checked), output);
    return database;
  };
  const runtime = createRuntime({ catalog, open, log: createLog(output) });
  try {
    return await callTool(runtime, entry, args, contextOf(user));
  } finally {
    await (await database)?.close();
  }
}

function entryOf(name: string, catalog: Catalog, { project, findings }: CheckedProject): ToolEntry {
  const file = project.endpoints.find(
    ({ endpoint }) => endpoint?.kind === 'tool' && endpoint.name === name,
  )?.file;
  const errors = findings.filter((finding) => finding.severity === 'error' && finding.file === file);
  if (errors.length > 0) throw toRefusal(errors);
  const entry = Object.hasOwn(catalog.tools, name) ? catalog.tools[name] : undefined;
  if (entry) return entry;
  throw unknownTool(
    name,
    Object.keys(catalog.tools),
    project.endpoints.some(({ endpoint }) => endpoint === null),
  );
}

function unknownTool(name: string, known: readonly string[], broken: boolean): SvcError {
  const near = nearestName(name, known);
  const lines = [
    `There is no tool named ${name}.${near === null ? '' : ` Did you mean ${near}?`}`,
    known.length === 0 ? 'This project has no tools.' : `Tools: ${known.slice(0, 20).join(', ')}`,
  ];
  if (broken) lines.push('Some endpoint files have errors; `svc validate` shows them.');
  return new SvcError('endpoint_unknown', lines.join('\n'), { detail: { name, did_you_mean: near } });
}

function contextOf(user: User | null): RequestContext {
  return {
    requestId: randomUUID(),
    caller: 'cli',
    user,
    headers: null,
    sessionId: null,
    traceparent: null,
    signal: new AbortController().signal,
  };
}
