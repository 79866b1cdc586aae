import { isDeepStrictEqual } from 'node:util';
import type { Reach } from './clients.ts';
import { lineCalls, type RawCall, sendCall } from './raw.ts';

/** The callers that ask at the same time. */
export const CALLERS = 256;

/** Two callers ask for the same order, so that only their names tell them apart. */
const toOwn = (number: number): RawCall => ({
  tool: 'own',
  args: { id: number >> 1, caller: `caller ${number}` },
});

/** Each caller asks for their own order while others fail and leave. Returns the answers that are wrong. */
export async function checkOwnAnswers(reach: Reach): Promise<readonly string[]> {
  const numbers = Array.from({ length: CALLERS }, (_, number) => number);
  if (reach.kind !== 'stdio') {
    return (await Promise.all(numbers.map((number) => checkCaller(reach.url, number)))).flat();
  }
  const answers = await lineCalls(reach, numbers.map(toOwn));
  return numbers.flatMap((number) => compare(number, answers[number] ?? ''));
}

async function checkCaller(url: URL, number: number): Promise<readonly string[]> {
  const troubled =
    number % 4 === 1 ? await checkError(url) : number % 4 === 3 ? await leave(url, number) : [];
  const answer = await (await sendCall(url, toOwn(number))).text();
  return [...troubled, ...compare(number, answer)];
}

async function checkError(url: URL): Promise<readonly string[]> {
  const answer = await (await sendCall(url, { tool: 'convert', args: { text: 'twelve' } })).text();
  return JSON.parse(answer).result?.isError === true ? [] : [`convert: ${answer}`];
}

/** A caller that leaves at once has their own answer or none. */
async function leave(url: URL, number: number): Promise<readonly string[]> {
  const abort = new AbortController();
  const answering = sendCall(url, toOwn(number), abort.signal).then((response) => response.text());
  setImmediate(() => abort.abort());
  try {
    return compare(number, await answering);
  } catch (thrown) {
    if (abort.signal.aborted) return [];
    throw thrown;
  }
}

function compare(number: number, answer: string): readonly string[] {
  const id = number >> 1;
  const right = { id, customer_id: 1 + (id % 4), caller: `caller ${number}` };
  const seen: unknown = JSON.parse(answer).result?.structuredContent;
  return isDeepStrictEqual(seen, right) ? [] : [`caller ${number}: ${answer}`];
}
