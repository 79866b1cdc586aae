import * as v from 'valibot';
import { toAdminError } from '../../src/admin/errors.ts';
import type { LiveCalls } from '../../src/admin/live-calls.ts';
import type { AdminSource } from '../../src/admin/source.ts';
import { withLease } from '../../src/call/runtime.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import { openEventStream } from '../../src/mcp/transport/event-stream.ts';
import { ENDPOINT_KINDS } from '../../src/project/model.ts';
import { runTests } from '../../src/quality/test/run.ts';
import { quoteText } from '../../src/sql/quote.ts';
import type { RunningProject } from '../project/running.ts';
import type { ProjectFeed, WorkbenchDeps } from './app.ts';
import { checkDrift } from './drift.ts';
import type { DatabaseHealth, ServerState, WorkbenchEvent } from './model.ts';
import { draftTest, saveTest } from './save-test.ts';
import { endpointOfCard, toActingUser, toState } from './state.ts';
import type { SendCall } from './wire-call.ts';

interface Asked extends WorkbenchDeps {
  readonly request: Request;
  readonly send: SendCall;
}

interface WorkbenchRoute {
  readonly answer: (asked: Asked) => unknown;
  /** Whether the route acts for the author. */
  readonly author?: true;
}

const ROUTES: Readonly<Record<string, WorkbenchRoute>> = {
  'GET /api/state': { answer: ({ running, authoring }) => toState(running, authoring) },
  'GET /api/activity': { answer: ({ source }) => source.activity() },
  'GET /api/calls': { answer: ({ live }) => live.recent() },
  'GET /api/server': { answer: ({ running, source }) => toServerState(running, source) },
  'GET /api/events': {
    answer: ({ live, feed, request }) => streamWorkbenchEvents(live, feed, request.signal),
  },
  'POST /api/reload': { answer: ({ source }) => ({ id: source.reload() }) },
  'POST /api/call': { author: true, answer: answerCall },
  'POST /api/tests': { author: true, answer: answerTests },
  'POST /api/drift': { author: true, answer: ({ running }) => checkDrift(running) },
  'POST /api/tests/draft': {
    author: true,
    answer: async ({ running, request }) =>
      draftTest(running.checked.project, await readRequestBody(request, DRAFT)),
  },
  'POST /api/tests/save': {
    author: true,
    answer: async ({ running, request }) => {
      const { hash, ...draft } = await readRequestBody(request, SAVE);
      await saveTest(running.checked.project, draft, hash);
      return {};
    },
  },
};

/** Answers a request of the page; null for a path that the workbench does not have. */
export async function answerPageRequest(asked: Asked): Promise<Response | null> {
  const { request, authoring } = asked;
  const route = ROUTES[`${request.method} ${new URL(request.url).pathname}`];
  if (route === undefined) return null;
  try {
    if (route.author === true && !authoring) throw watchesOnly();
    const answer = await route.answer(asked);
    if (answer instanceof Response) return answer;
    return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
  } catch (thrown) {
    return toAdminError(toSvcError(thrown), true);
  }
}

function watchesOnly(): SvcError {
  return new SvcError(
    'denied',
    'This server is watched only: calls as other users, tests and changes of files need `svc dev`.',
  );
}

async function answerCall({ running, send, request }: Asked) {
  const { user, ...call } = await readRequestBody(request, CALL);
  return send({ ...call, ...toActingUser(running, user) });
}

async function answerTests({ running, request }: Asked) {
  const { endpoint: id } = await readRequestBody(request, TESTS);
  const { endpoint } = endpointOfCard(running.checked.project, id);
  return runTests(endpoint, { runtime: running.runtime, user: null, signal: request.signal });
}

async function toServerState(running: RunningProject, source: AdminSource): Promise<ServerState> {
  return {
    status: source.status(),
    config: source.config(),
    memory_bytes: process.memoryUsage.rss(),
    databases: await checkDatabases(running),
  };
}

const PATIENCE_MS = 5_000;

/** Asks the project's database and each attached one. A database that does not answer is a fact, and no error. */
async function checkDatabases({ checked, runtime }: RunningProject): Promise<readonly DatabaseHealth[]> {
  const attached = checked.project.site?.database.attach ?? [];
  const statements = [
    { name: 'database', sql: 'SELECT 1 AS ok' },
    ...attached.map(({ name }) => ({ name, sql: `SELECT count(*) AS ok FROM ${inCatalog(name)}` })),
  ];
  return Promise.all(
    statements.map(async ({ name, sql }) => {
      const startedAt = performance.now();
      const message = await ask(runtime, sql);
      return { name, ok: message === null, ms: Math.round(performance.now() - startedAt), message };
    }),
  );
}

/** The tables of an attached database: listing them makes a lost server connect again, or fail. */
function inCatalog(name: string): string {
  return `(SELECT 1 FROM duckdb_tables() WHERE database_name = ${quoteText(name)})`;
}

async function ask(runtime: RunningProject['runtime'], sql: string): Promise<string | null> {
  const { signal } = new AbortController();
  const request = { sql, values: [], mode: 'read', maxRows: 1 } as const;
  const call = { caller: null, signal, timeoutMs: PATIENCE_MS };
  try {
    await withLease(runtime, signal, async (leased) => (await leased.database()).run(request, call));
    return null;
  } catch (thrown) {
    return toSvcError(thrown).message;
  }
}

/* The bodies that the page sends. */

const json = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(2_000));

const CALL = v.strictObject({
  kind: v.picklist(ENDPOINT_KINDS),
  name,
  arguments: json,
  user: v.union([v.null(), v.string(), json]),
  answers: v.exactOptional(json),
});

const TESTS = v.strictObject({ endpoint: name });

const TEST_DRAFT = {
  endpoint: name,
  name,
  arguments: json,
  user_context: v.nullable(json),
  expect: v.union([
    v.strictObject({ result: v.custom<JsonObject[string]>((value) => value !== undefined) }),
    v.strictObject({ denied: v.literal(true) }),
  ]),
};

const DRAFT = v.strictObject(TEST_DRAFT);
const SAVE = v.strictObject({ ...TEST_DRAFT, hash: v.string() });

const MOST_BYTES = 1_048_576;

/** Reads the body of a request. Throws `usage` for one that the page would not send. */
async function readRequestBody<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const text = await request.text();
  if (text.length > MOST_BYTES) throw new SvcError('usage', 'The request is longer than 1 MiB.');
  const parsed = v.safeParse(schema, toJson(text));
  if (parsed.success) return parsed.output;
  throw new SvcError('usage', parsed.issues.map(({ message }) => message).join(' '));
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SvcError('usage', 'The request is no JSON.', { cause });
  }
}

/**
 * A stream of server-sent events: each call when it ends, and each change of the project. It ends for a page that does not
 * read; the page then connects again, and asks for the latest calls.
 */
export function streamWorkbenchEvents(live: LiveCalls, feed: ProjectFeed, signal: AbortSignal): Response {
  const stop = () => {
    for (const end of ends) end();
  };
  const stream = openEventStream(stop);
  const send = (event: WorkbenchEvent) => stream.write(event);
  const ends = [live.subscribe((call) => send({ call })), feed.subscribe((project) => send({ project }))];
  signal.addEventListener('abort', () => {
    stop();
    stream.close();
  });
  return new Response(stream.readable, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
