import type { Runtime } from '../../call/runtime.ts';
import type { RequestContext, User } from '../../context.ts';
import { toSvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { parseUserContext } from '../user.ts';
import { checkConversation } from './assertions.ts';
import type { MadeCall } from './call.ts';
import { type Conversation, converse } from './converse.ts';
import { createHider, type Hider } from './hide.ts';
import type { LanguageModel } from './model.ts';
import { type Offer, refersTo } from './offer.ts';
import {
  costOf,
  type EvalResult,
  type Prices,
  type SuiteReport,
  sumOf,
  type Transcript,
  worstOf,
} from './report.ts';
import type { EvalTest, Suite } from './suite.ts';

/** A suite and the model that answers its questions. */
export interface RunnableSuite {
  readonly path: string;
  readonly suite: Suite;
  readonly model: LanguageModel;
  readonly prices: Prices | null;
}

/** The circumstances of a run. */
export interface EvalRun {
  readonly runtime: Runtime;
  readonly offers: readonly Offer[];
  /** Replaces every test's own `user_context`. */
  readonly user: User | null;
  /** Texts that are removed from reports. */
  readonly secrets: readonly string[];
  /** The number of tests that run at a time. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Stores a conversation and returns its place. Absent: conversations are not stored. */
  readonly keep?: (transcript: Transcript) => Promise<string>;
  /** Called after each test. */
  readonly onTest?: (suite: string, test: string) => void;
}

/** Runs all tests of some suites, several at a time. Reports keep the order of the suites. */
export async function runSuites(
  suites: readonly RunnableSuite[],
  run: EvalRun,
): Promise<readonly SuiteReport[]> {
  const jobs = suites.flatMap((one) => one.suite.tests.map((test) => ({ one, test })));
  const results: (EvalResult | undefined)[] = Array.from({ length: jobs.length });
  let next = 0;
  const work = async () => {
    for (let index = next; index < jobs.length; index = next) {
      next += 1;
      const job = jobs[index];
      if (job) results[index] = await runTest(job.one, job.test, run);
    }
  };
  await Promise.all(Array.from({ length: Math.min(run.concurrency, jobs.length) }, work));
  return suites.map((one) =>
    toReport(
      one,
      jobs.flatMap((job, index) => (job.one === one ? (results[index] ?? []) : [])),
    ),
  );
}

function toReport({ suite, path, model }: RunnableSuite, tests: readonly EvalResult[]): SuiteReport {
  return {
    suite: suite.name,
    path,
    ...(suite.description === null ? {} : { description: suite.description }),
    model: model.name,
    status: worstOf(tests.map(({ status }) => status)),
    tests,
    ...sumOf(tests),
    time_ms: round(tests.reduce((sum, { time_ms }) => sum + time_ms, 0)),
  };
}

async function runTest(one: RunnableSuite, test: EvalTest, run: EvalRun): Promise<EvalResult> {
  const start = performance.now();
  const conversation = await talk(one, test, run);
  const hider = createHider(secretsOf(test, run));
  const timeMs = round(performance.now() - start);
  const result = toResult({ one, test, conversation, hider, timeMs });
  const user = userContextOf(test, run);
  const transcript = await run.keep?.(toTranscript({ one, test, conversation, hider, result, user }));
  run.onTest?.(one.suite.name, test.name);
  return transcript === undefined ? result : { ...result, transcript };
}

/** The token of a test's own user is also a secret. */
function secretsOf({ userContext }: EvalTest, { secrets, user }: EvalRun): readonly string[] {
  const own = userContext?.external_token;
  return [
    ...secrets,
    ...(typeof own === 'string' ? [own] : []),
    ...(user?.externalToken ? [user.externalToken] : []),
  ];
}

async function talk({ suite, model }: RunnableSuite, test: EvalTest, run: EvalRun): Promise<Conversation> {
  const { runtime, signal } = run;
  const offers = run.offers.filter((one) => suite.offer?.some((name) => refersTo(one, name)) ?? true);
  const { turns, resultBytes, tokens } = suite.limits;
  try {
    const user = run.user ?? userOf(test);
    const context = () => contextOf(user, signal);
    const { system } = suite;
    const limits = { turns, resultBytes, tokens };
    return await converse({
      runtime,
      offers,
      model,
      system,
      prompt: test.prompt,
      signal,
      context,
      ...limits,
    });
  } catch (thrown) {
    return { ...SILENCE, error: toSvcError(thrown) };
  }
}

const SILENCE: Conversation = {
  answer: '',
  calls: [],
  said: [],
  turns: 0,
  usage: { input_tokens: 0, output_tokens: 0 },
  ended: 'error',
  error: null,
};

function userOf({ userContext }: EvalTest): User | null {
  return userContext && parseUserContext(userContext, { from: 'user_context', id: 'eval_user' });
}

/** The user of a test's calls as written, without the token. */
function userContextOf({ userContext }: EvalTest, { user }: EvalRun): JsonObject | null {
  if (user !== null) return user.claims;
  if (userContext === null) return null;
  const { external_token: _, ...shown } = userContext;
  return shown;
}

function contextOf(user: User | null, signal: AbortSignal): RequestContext {
  return {
    requestId: crypto.randomUUID(),
    transport: 'cli',
    user,
    headers: () => null,
    sessionId: null,
    traceparent: null,
    signal,
  };
}

interface Ended {
  readonly one: RunnableSuite;
  readonly test: EvalTest;
  readonly conversation: Conversation;
  readonly hider: Hider;
}

function toResult({ one, test, conversation, hider, timeMs }: Ended & { timeMs: number }): EvalResult {
  const { error, usage, turns } = conversation;
  const calls = conversation.calls.map(hider.call);
  const shown = {
    call: (call: MadeCall) => toCallLine(call, hider),
    value: hider.line,
  };
  const failures = error === null ? checkConversation(test.assertions, conversation, shown) : [];
  const cost = costOf(usage, one.prices);
  return {
    name: test.name,
    ...(test.description === null ? {} : { description: test.description }),
    status: error !== null ? 'error' : failures.length > 0 ? 'failed' : 'passed',
    failures: failures.map(hider.text),
    ...(error === null ? {} : { error: `${error.code}: ${hider.text(error.message)}` }),
    answer: hider.text(conversation.answer),
    calls,
    turns,
    usage,
    ...(cost === null ? {} : { cost }),
    time_ms: timeMs,
  };
}

/** Arguments are shown as in the report: those of unknown tools are not. */
function toCallLine(call: MadeCall, hider: Hider): string {
  const { tool, args } = hider.call(call);
  return args === null ? tool : `${tool} ${hider.line(args)}`;
}

function toTranscript({
  one,
  test,
  conversation,
  hider,
  result,
  user,
}: Ended & { result: EvalResult; user: JsonObject | null }): Transcript {
  const { suite, model } = one;
  return {
    suite: suite.name,
    test: test.name,
    model: model.name,
    ...(suite.system === null ? {} : { system: hider.text(suite.system) }),
    prompt: hider.text(test.prompt),
    ...(user === null ? {} : { user_context: hider.value(user) }),
    turns: conversation.said.map((said, index) => ({
      said: hider.text(said),
      calls: result.calls.filter(({ turn }) => turn === index + 1),
    })),
    result,
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
