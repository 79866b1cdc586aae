import { randomUUID } from 'node:crypto';
import { openAudit } from '../../adapters/audit/open.ts';
import { recordUnknown } from '../../src/call/call-record.ts';
import { createRuntime, type Outcome } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { RequestContext, User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import type { Database } from '../../src/ports.ts';
import type { EndpointKind } from '../../src/project/model.ts';
import { runEndpoint } from '../../src/quality/run-endpoint.ts';
import { createConcealment } from '../../src/settings/references/concealment.ts';
import { secretsOf } from '../../src/settings/secrets.ts';
import type { CommandInput, Run } from '../command.ts';
import { toFindingsError } from '../io/findings.ts';
import { createLog } from '../io/log.ts';
import type { Output } from '../io/output.ts';
import { toMessageText, toText } from '../io/value-text.ts';
import { errorsOf, parseKind, unknownEndpoint } from '../project/endpoint-choice.ts';
import { lazyPython, openBeside, withPrinted } from '../project/open.ts';
import { databaseFor, parseParamOptions, parseUser, targetOf } from '../project/options.ts';
import { type CheckedProject, checkProject, siteOf, soundPart } from '../project/project.ts';
import { settingsOf } from '../project/settings.ts';

/** `svc run <kind> <name>`: calls an endpoint as a client would, with a simulated user. */
export const run: Run = async (input, output) => {
  const [given = '', name = ''] = input.args;
  const kind = parseKind(given);
  const args = await parseParamOptions(input.list('param'));
  const user = await parseUser(input.text('userContext'));
  const { value, truncated, columns } = await call(input, { kind, name, args, user }, output);
  output.data(value, () => (kind === 'prompt' ? toMessageText(value) : toText(value, columns)));
  if (truncated) output.note(truncated.hint);
  return 0;
};

interface Call {
  readonly kind: EndpointKind;
  readonly name: string;
  readonly args: JsonObject;
  readonly user: User | null;
}

async function call(input: CommandInput, { kind, name, args, user }: Call, output: Output): Promise<Outcome> {
  const checked = await checkProject(input);
  siteOf(checked);
  const errors = errorsOf(checked, kind, name);
  if (errors.length > 0) throw toFindingsError(errors);
  const choice = databaseFor(checked, targetOf(input));
  const settings = await settingsOf(input, checked);
  const { secrets, audit: recorded } = settings;
  // The first query opens it, so that bad arguments are reported without a database.
  let database: Promise<Database> | undefined;
  const open = () => {
    const writes = kind === 'tool' && catalog.tools[name]?.source.mode === 'write' ? 'kept' : 'refused';
    database = openBeside(checked.project.root, { ...choice, secrets }, { output, writes });
    return database;
  };
  const catalog = await compileCatalog(soundPart(checked));
  const log = createLog(output);
  const { add, conceal } = createConcealment();
  add(secretsOf(settings));
  const audit = await openAudit(recorded, checked.project.root, log, conceal);
  const python = lazyPython(checked, {
    settings: () => settings,
    database: () => runtime.database(),
    log: withPrinted(log, output),
    size: 1,
  });
  const runtime = createRuntime({ catalog, open, openPython: python.open, log, ...audit?.parts });
  const context = contextOf(user);
  const options = { checkResult: !input.flag('skipOutputValidation') };
  try {
    return await runEndpoint(runtime, kind, name, args, context, options);
  } catch (thrown) {
    if (isUnknown(thrown)) recordUnknown(runtime, { kind, name, args, context, error: thrown });
    throw isUnknown(thrown) ? explained(kind, name, checked) : thrown;
  } finally {
    await python.close();
    await audit?.sink.close();
    await (await database)?.close();
  }
}

function isUnknown(thrown: unknown): thrown is SvcError {
  return thrown instanceof SvcError && thrown.code === 'endpoint_unknown';
}

/** The error for an unknown name, with a suggestion. */
function explained(kind: EndpointKind, name: string, { project }: CheckedProject): SvcError {
  const served = project.endpoints.filter((file) => file.kind === kind && file.endpoint?.enabled !== false);
  return unknownEndpoint(kind, name, served);
}

function contextOf(user: User | null): RequestContext {
  return {
    requestId: randomUUID(),
    transport: 'cli',
    user,
    headers: () => null,
    sessionId: null,
    traceparent: null,
    signal: new AbortController().signal,
  };
}
