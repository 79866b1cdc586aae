import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import type { PythonHost, PythonRequest, PythonResult, PythonSettings } from '../../../src/ports.ts';
import { type FailedCall, NOTHING_KNOWN, toPythonError } from '../errors.ts';
import { type Answered, createAnswers } from './answers.ts';

/*
 * What TypeScript and Python say to each other, whatever carries it: JSON texts, strictly in turns. TypeScript sends
 * `start`, `load`, `call` or `stop`; Python answers with `ask`, whose answer is the next text, until it has ended with
 * `done`, `failed`, `stale`, `ready` or `stopped` (adapters/python/host/svc/_dispatch.py).
 */

/** One Python interpreter's end of a line: takes a text and gives what Python says next. */
export interface PythonLine {
  /** Rejects with a SvcError when the interpreter is gone. */
  exchange(text: string): Promise<string>;
  /** Ends an interpreter that is out of step: it would take the next call for an answer, and answer that call with this one. */
  kill?(reason: SvcError): void;
}

/** How an interpreter begins. */
export interface PythonStart {
  /** The project's root, as the interpreter sees it. */
  readonly root: string;
  /** `paths.python` of the site file: its modules can be imported. */
  readonly folder: string;
  /** Whether calls look for changed files first. */
  readonly follow: boolean;
}

/** What answers an interpreter while it works. */
export interface PythonAnswers {
  readonly settings: PythonSettings;
  readonly host: PythonHost;
}

/** Prepares an interpreter for a project; returns its version. */
export async function startPython(line: PythonLine, start: PythonStart): Promise<string> {
  const ended = parse(await line.exchange(JSON.stringify({ op: 'start', ...start })));
  if (ended.op === 'ready') return String(ended.version);
  throw toPythonError(ended, NOTHING_KNOWN);
}

/** Imports a file and runs its `@on_init`; before the first call of one of its functions. */
export async function loadFile(line: PythonLine, file: string, answers: PythonAnswers): Promise<void> {
  await converse(line, { op: 'load', file }, answers);
}

/** Calls a function of a loaded file; null: its files have changed, so that another interpreter is needed. */
export async function callFunction(
  line: PythonLine,
  { file, name, args, kinds, user }: PythonRequest,
  answers: PythonAnswers,
): Promise<PythonResult | null> {
  const ended = await converse(line, { op: 'call', file, name, args, kinds, user }, answers);
  if (ended.op === 'stale') return null;
  return { value: ended.value ?? null, binary: ended.binary === true };
}

/** Runs `@on_shutdown`; returns what went wrong. The interpreter must not be used afterwards. */
export async function stopPython(line: PythonLine, answers: PythonAnswers): Promise<readonly SvcError[]> {
  const { errors } = await converse(line, { op: 'stop' }, answers);
  return (Array.isArray(errors) ? errors : []).map((error) =>
    toPythonError({ error }, { ...NOTHING_KNOWN, ...concealing(answers) }),
  );
}

let lastId = 0;

async function converse(
  line: PythonLine,
  message: JsonObject,
  { settings, host }: PythonAnswers,
): Promise<JsonObject> {
  lastId += 1;
  const id = lastId;
  const answers = createAnswers(settings, host);
  const say = async (text: string) => inStep(line, await line.exchange(text));
  let heard = await say(JSON.stringify({ ...message, id }));
  while (heard.op === 'ask') heard = await say(await replyTo(heard, id, answers));
  if (heard.id !== id) throw outOfStep(line);
  if (heard.op === 'failed')
    throw toPythonError(heard, { failures: answers.failures, ...concealing({ settings }) });
  return heard;
}

function inStep(line: PythonLine, text: string): JsonObject {
  try {
    return parse(text);
  } catch (cause) {
    throw outOfStep(line, cause);
  }
}

function outOfStep(line: PythonLine, cause?: unknown): SvcError {
  const reason = new SvcError('python_failed', 'Python sent what is no message of its call.', { cause });
  line.kill?.(reason);
  return reason;
}

function concealing({ settings }: Pick<PythonAnswers, 'settings'>): Pick<FailedCall, 'conceal'> {
  return { conceal: (text) => settings.conceal?.(text) ?? text };
}

async function replyTo(asked: JsonObject, id: number, answers: Answered): Promise<string> {
  if (asked.id !== id) return toReply({ error: { code: 'cancelled', message: 'The call is over.' } });
  try {
    return toReply({ value: await answers.answer(asked) });
  } catch (thrown) {
    return toReply({ error: answers.failed(toSvcError(thrown), asked) });
  }
}

function toReply(reply: { readonly [key: string]: JsonValue }): string {
  return JSON.stringify(reply);
}

/** What Python's own encoder writes and a float does not keep: integers beyond 2^53 - 1, and the negative zero. */
const BEYOND = /[[:,](?:-?\d{16,}|-0\.0)[,\]}]/;

// The reviver's third argument is in every engine we run on and not yet in TypeScript's library.
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: JsonValue, context: { readonly source?: string }) => JsonValue,
) => JsonObject;

function toExact(_key: string, value: JsonValue, { source = '' }: { readonly source?: string }): JsonValue {
  if (typeof value !== 'number') return value;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? value + 0 : source;
}

function parse(text: string): JsonObject {
  try {
    return BEYOND.test(text) ? (JSON.parse as ParseWithSource)(text, toExact) : JSON.parse(text);
  } catch (cause) {
    throw new SvcError('python_failed', 'Python sent what is no message.', { cause });
  }
}
