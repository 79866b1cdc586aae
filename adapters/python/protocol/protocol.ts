import { SvcError, toSvcError } from '../../../src/errors.ts';
import { type JsonObject, type JsonValue, parseWithSources } from '../../../src/json.ts';
import type { PythonHost, PythonRequest, PythonResult, PythonSettings } from '../../../src/ports.ts';
import { type FailedCall, NOTHING_KNOWN, toPythonError } from '../errors.ts';
import { type Answered, createAnswers } from './answers.ts';

/*
 * The protocol between TypeScript and Python, over a pipe, a thread or RPC: JSON texts, strictly in turns. TypeScript
 * sends `start`, `load`, `call` or `stop`. Python may answer with any number of `ask` requests, each of which
 * TypeScript answers with the next text, and ends with `done`, `failed`, `stale`, `ready` or `stopped`
 * (adapters/python/host/svc/_dispatch.py).
 */

/** A connection to one Python interpreter: sends a text and returns Python's next text. */
export interface PythonLine {
  /** Rejects with a SvcError if the interpreter has ended. */
  exchange(text: string): Promise<string>;
  /** Ends an interpreter that is out of step: it would take the next call for an answer to this one. */
  kill?(reason: SvcError): void;
}

/** The project that an interpreter is prepared for. */
export interface PythonStart {
  /** The project's root, as a path inside the interpreter. */
  readonly root: string;
  /** `paths.python` of the site file. Its modules can be imported. */
  readonly folder: string;
  /** Whether calls check for changed files first. */
  readonly follow: boolean;
}

/** The ports that answer an interpreter's requests. */
export interface PythonAnswers {
  readonly settings: PythonSettings;
  readonly host: PythonHost;
}

interface Conversation extends PythonAnswers {
  /** Texts that no part of an error may have. */
  readonly hidden?: readonly string[];
}

/** Prepares an interpreter for a project; returns its version. */
export async function startPython(line: PythonLine, start: PythonStart): Promise<string> {
  const ended = parse(await line.exchange(JSON.stringify({ op: 'start', ...start })));
  if (ended.op === 'ready') return String(ended.version);
  throw toPythonError(ended, NOTHING_KNOWN);
}

/**
 * Imports a file and runs its `@on_init` functions. It must come before the first call of its functions. False if files
 * have changed, so that another interpreter must load it.
 */
export async function loadFile(line: PythonLine, file: string, answers: PythonAnswers): Promise<boolean> {
  const { op } = await converse(line, { op: 'load', file }, answers);
  return op !== 'stale';
}

/**
 * Calls a function of a loaded file; null if files have changed, so that the call needs another interpreter.
 */
export async function callFunction(
  line: PythonLine,
  { file, name, args, kinds, user, maxRows, maxBytes, printed }: PythonRequest,
  answers: PythonAnswers,
): Promise<PythonResult | null> {
  // An interpreter in another Worker writes its printed lines to the log itself.
  const lines = printed === undefined ? {} : { printed: { ...printed } };
  const message = { op: 'call', file, name, args, kinds, user, maxRows, maxBytes, ...lines };
  answers.host.begin?.();
  const ended = await converse(line, message, { ...answers, hidden: printed?.hidden ?? [] });
  if (ended.op === 'stale') return null;
  const { value = null, binary, truncated } = ended;
  return { value, binary: binary === true, truncated: truncated === true };
}

/** Runs the `@on_shutdown` functions; returns their errors. The interpreter must not be used afterwards. */
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
  { settings, host, hidden = [] }: Conversation,
): Promise<JsonObject> {
  lastId += 1;
  const id = lastId;
  const answers = createAnswers(settings, host);
  const say = async (text: string) => inStep(line, await line.exchange(text));
  let heard = await say(JSON.stringify({ ...message, id }));
  while (heard.op === 'ask') heard = await say(await replyTo(heard, id, answers));
  if (heard.id !== id) throw outOfStep(line);
  if (heard.op === 'failed')
    throw toPythonError(heard, { failures: answers.failures, hidden, ...concealing({ settings }) });
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
  const reason = new SvcError('python_failed', 'Python sent a message that does not belong to its call.', {
    cause,
  });
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

/**
 * Numbers that Python's encoder writes and a JavaScript number does not keep: integers beyond 2^53 - 1, and
 * -0.0.
 */
const BEYOND = /[[:,](?:-?\d{16,}|-0\.0)[,\]}]/;

function toExact(_key: string, value: JsonValue, { source = '' }: { readonly source?: string }): JsonValue {
  if (typeof value !== 'number') return value;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? value + 0 : source;
}

function parse(text: string): JsonObject {
  try {
    return BEYOND.test(text) ? (parseWithSources(text, toExact) as JsonObject) : JSON.parse(text);
  } catch (cause) {
    throw new SvcError('python_failed', 'Python sent a message that is not JSON.', { cause });
  }
}
