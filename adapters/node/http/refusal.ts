import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { busyError } from '../../../src/errors.ts';
import { isMcpPath, toErrorAnswer } from '../../../src/http/errors.ts';
import type { Log } from '../../../src/ports.ts';

const LOG_EVERY_MS = 10_000;
const TOO_MUCH = busyError('The server has too much to do', { detail: { retry_after: 1 } });
/** Refusals must cost little, so the answers are made once. */
const TO_MCP = toAnswer('/mcp');
const TO_OTHERS = toAnswer('/');

/** Creates a listener that refuses requests without reading them. A line says how many, at most every ten seconds. */
export function createRefusal(log: Log): RequestListener {
  let count = 0;
  const tell = (): void => {
    log({
      level: 'warn',
      message: `The server had too much to do and refused ${count} ${count === 1 ? 'request' : 'requests'} with status 503.`,
      fields: { requests: count },
    });
    count = 0;
  };
  return ({ url = '' }, outgoing) => {
    count += 1;
    if (count === 1) setTimeout(tell, LOG_EVERY_MS).unref();
    const { status, headers, text } = isMcpPath(url.replace(/\?.*$/s, '')) ? TO_MCP : TO_OTHERS;
    outgoing.writeHead(status, headers);
    outgoing.end(text);
  };
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

function toAnswer(path: string): Answer {
  const { status, headers, body } = toErrorAnswer(TOO_MUCH, path, '');
  const text = JSON.stringify(body);
  const own = { 'content-type': 'application/json', 'content-length': text.length };
  return { status, headers: { ...headers, ...own }, text };
}
