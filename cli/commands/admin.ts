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
  const path = `/${(input.args[0] ?? 'status').replace(/^\//, '')}`;
  const answer = await sendToSocket({ socket, method: path === '/reload' ? 'POST' : 'GET', path });
  const text = Buffer.concat(await answer.toArray()).toString();
  const body = parse(text);
  if (answer.statusCode !== 200) throw refusal(path, body);
  output.data(body, () => JSON.stringify(body, null, 2));
  return 0;
};

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
