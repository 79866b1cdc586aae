import type { Outcome, Runtime } from '../../call/runtime.ts';
import type { RequestContext, User } from '../../context.ts';
import { type SvcError, toPublicText, toSvcError } from '../../errors.ts';
import type { Endpoint, EndpointTest } from '../../project/model.ts';
import { runEndpoint } from '../run-endpoint.ts';
import { parseUserContext } from '../user.ts';
import { checkAssertions } from './assertions.ts';
import { toShort } from './diff.ts';
import type { EndpointReport, TestResult } from './report.ts';

/** The circumstances of a test run. */
export interface TestRun {
  readonly runtime: Runtime;
  /** Replaces every test's own `user_context`. */
  readonly user: User | null;
  readonly signal: AbortSignal;
  /** Called before each test. */
  readonly onTest?: (endpoint: string, test: string) => void;
}

/** The outcome of a call. */
type Ended = { readonly outcome: Outcome } | { readonly error: SvcError };

/** Runs the tests of one endpoint, one after the other. */
export async function runTests(endpoint: Endpoint, run: TestRun): Promise<EndpointReport> {
  const name = `${endpoint.kind}/${endpoint.name}`;
  const tests: TestResult[] = [];
  for (const test of endpoint.tests) {
    run.onTest?.(name, test.name);
    tests.push(await runTest(endpoint, test, run));
  }
  return { endpoint: name, path: endpoint.file, tests };
}

async function runTest(endpoint: Endpoint, test: EndpointTest, run: TestRun): Promise<TestResult> {
  const start = performance.now();
  const ended = await call(endpoint, test, run);
  const time_ms = Math.round((performance.now() - start) * 10) / 10;
  return {
    name: test.name,
    ...(test.description === undefined ? {} : { description: test.description }),
    ...judge(test, ended),
    time_ms,
  };
}

async function call(endpoint: Endpoint, test: EndpointTest, run: TestRun): Promise<Ended> {
  const args = Object.fromEntries(test.arguments.map(({ key, value }) => [key, value]));
  const key = endpoint.kind === 'resource' ? endpoint.uri : endpoint.name;
  try {
    return { outcome: await runEndpoint(run.runtime, endpoint.kind, key, args, contextOf(test, run)) };
  } catch (thrown) {
    return { error: toSvcError(thrown) };
  }
}

/** A user from the command line replaces the user of every test. */
function contextOf(test: EndpointTest, { user, signal }: TestRun): RequestContext {
  const own =
    test.user_context && parseUserContext(test.user_context, { from: 'user_context', id: 'test_user' });
  return {
    requestId: crypto.randomUUID(),
    transport: 'cli',
    user: user ?? own ?? null,
    headers: () => null,
    sessionId: null,
    traceparent: null,
    signal,
  };
}

type Verdict = Pick<TestResult, 'status' | 'error'>;

function judge(test: EndpointTest, ended: Ended): Verdict {
  const failure = 'error' in ended ? judgeError(test, ended.error) : judgeOutcome(test, ended.outcome);
  return failure ?? { status: 'passed' };
}

function judgeOutcome(test: EndpointTest, { value }: Outcome): Verdict | null {
  const wanted =
    test.denied === true
      ? 'denied: the call should be denied'
      : test.error_contains !== undefined && 'error_contains: the call should fail';
  const failure = wanted ? `${wanted}, but it returned\n+ ${toShort(value)}` : checkAssertions(test, value);
  return failure === null ? null : { status: 'failed', error: failure };
}

function judgeError(test: EndpointTest, error: SvcError): Verdict | null {
  const told = `${error.code}: ${error.message}`;
  if (test.denied !== true && test.error_contains === undefined) return { status: 'error', error: told };
  if (test.denied === true && error.code !== 'denied') {
    return { status: 'failed', error: `denied: the call was not denied, but failed\n+ ${told}` };
  }
  if (test.denied === false && error.code === 'denied') {
    return { status: 'failed', error: `denied: the call was denied\n+ ${told}` };
  }
  const { error_contains: expected = '' } = test;
  // An expected text may match the author's message or the client's.
  if ([told, toPublicText(error)].some((text) => text.includes(expected))) return null;
  return { status: 'failed', error: `error_contains: does not hold\n- ${toShort(expected)}\n+ ${told}` };
}
