import { toAdminError } from '../../src/admin/errors.ts';
import type { AdminSource } from '../../src/admin/source.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import { runTests } from '../../src/quality/test/run.ts';
import type { Started } from '../serve/started.ts';
import type { WorkbenchDeps } from './app.ts';
import { checkDrift } from './drift.ts';
import { toEventStream } from './events.ts';
import { checkDatabases } from './health.ts';
import type { ServerState } from './model.ts';
import { CALL, DRAFT, readRequestBody, SAVE, TESTS } from './requests.ts';
import { draftTest, saveTest } from './save-test.ts';
import { toState } from './state.ts';
import { toActingUser } from './users.ts';
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
  'GET /api/state': { answer: ({ started, authoring }) => toState(started, authoring) },
  'GET /api/activity': { answer: ({ source }) => source.activity() },
  'GET /api/calls': { answer: ({ live }) => live.recent() },
  'GET /api/server': { answer: ({ started, source }) => toServerState(started, source) },
  'GET /api/events': {
    answer: ({ live, feed, request }) => toEventStream(live, feed, request.signal),
  },
  'POST /api/reload': { answer: ({ source }) => ({ id: source.reload() }) },
  'POST /api/call': { author: true, answer: answerCall },
  'POST /api/tests': { author: true, answer: answerTests },
  'POST /api/drift': { author: true, answer: ({ started }) => checkDrift(started) },
  'POST /api/tests/draft': {
    author: true,
    answer: async ({ started, request }) =>
      draftTest(started.checked.project, await readRequestBody(request, DRAFT)),
  },
  'POST /api/tests/save': {
    author: true,
    answer: async ({ started, request }) => {
      const { hash, ...draft } = await readRequestBody(request, SAVE);
      await saveTest(started.checked.project, draft, hash);
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

async function answerCall({ started, send, request }: Asked) {
  const { user, ...call } = await readRequestBody(request, CALL);
  return send({ ...call, ...toActingUser(started, user) });
}

async function answerTests({ started, request }: Asked) {
  const { endpoint: id } = await readRequestBody(request, TESTS);
  const found = started.checked.project.endpoints.find(
    ({ kind, endpoint }) => endpoint !== null && `${kind}/${endpoint.name}` === id,
  );
  if (found?.endpoint == null) throw new SvcError('usage', `There is no file of ${id}.`);
  return runTests(found.endpoint, { runtime: started.runtime, user: null, signal: request.signal });
}

async function toServerState(started: Started, source: AdminSource): Promise<ServerState> {
  return {
    status: source.status(),
    config: source.config(),
    memory_bytes: process.memoryUsage.rss(),
    databases: await checkDatabases(started),
  };
}
