import { sendToSocket } from '../../adapters/admin-socket/client.ts';
import { forwardToSocket } from '../../adapters/admin-socket/forward.ts';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import { watchSignals } from '../../adapters/node/stop-signals.ts';
import { SvcError } from '../../src/errors.ts';
import { DEFAULTS } from '../../src/settings/effective/defaults.ts';
import { type CommandInput, checkPort, type Run } from '../command.ts';
import { type Output, styled } from '../io/output.ts';

/** `svc admin`: asks a running server, or shows its admin page to a browser. */
export const run: Run = async (input, output) => {
  const named = input.text('socket') ?? (process.env.SVC_ADMIN_SOCKET || DEFAULTS['admin.socket']);
  const socket = absolutePath('', named);
  if (input.flag('web')) return showPage(socket, portOf(input), output);
  const path = toRequestPath(input.args[0] ?? 'status');
  const answer = await sendToSocket({ socket, method: path === '/reload' ? 'POST' : 'GET', path });
  const text = Buffer.concat(await answer.toArray()).toString();
  const body = parse(text);
  if (answer.statusCode !== 200) throw refusal(path, body);
  output.data(body, () => JSON.stringify(body, null, 2));
  return 0;
};

/**
 * Encodes a path and its query as a person writes them: a `+` stays one, as in `start_time=2026-08-01T12:00:00+02:00`.
 * Encoded characters stay as they are.
 */
export function toRequestPath(given: string): string {
  const [, path = '', query = ''] = /^\/?([^?]*)\??(.*)$/s.exec(given.toWellFormed()) ?? [];
  const params = new URLSearchParams();
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [name = '', ...value] = pair.split('=');
    params.append(decoded(name), decoded(value.join('=')));
  }
  const encoded = path.replaceAll(/[^!-~]+/g, encodeURIComponent);
  return `/${encoded}${params.size === 0 ? '' : `?${params}`}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function showPage(socket: string, port: number, output: Output): Promise<0> {
  const stopped = watchSignals();
  const { url, close } = await forwardToSocket(socket, port);
  output.data({ status: 'ok', url }, () => `${styled('strong', url)}\n${styled('dim', 'Ctrl-C stops it.')}`);
  await stopped;
  await close();
  return 0;
}

function portOf(input: CommandInput): number {
  const port = input.text('port');
  checkPort(port);
  return Number(port ?? 0);
}

type Body = { readonly [key: string]: never };

function parse(text: string): Body {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SvcError('usage', 'This path is a page. Open it with `svc admin --web`.', { cause });
  }
}

function refusal(path: string, { message }: { readonly message?: string }): SvcError {
  return new SvcError('usage', `The server refuses ${path}: ${message ?? 'it gives no reason'}`);
}
