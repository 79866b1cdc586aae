import { createConnection, type Socket } from 'node:net';

/* A request is a few bytes put together and an answer is searched as text, so that the client costs less than the server. */

/** `refused`: the server has too much to do, and says when to try again. */
export type Ending = 'right' | 'wrong' | 'refused' | 'failed';

/** A tool that answers with the row of an id. */
export interface Asked {
  readonly version: '2026-07-28' | '2025-06-18';
  readonly tool: string;
  /** Its arguments as JSON, with `$id` in each place of the id. */
  readonly args: string;
}

/** A server, and the way to ask it. */
export interface Target {
  readonly url: URL;
  readonly asked: Asked;
  /** Whether it answers each call for itself; a constant answer is not checked. */
  readonly checked: boolean;
}

/** The tool of the bench's projects. */
export const OWN_TOOL: Asked = { version: '2026-07-28', tool: 'tool_3', args: '{"id":$id}' };

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';

/** The bytes of a call. */
export function toRequest({ url, asked }: Pick<Target, 'url' | 'asked'>, id: number): string {
  const { version, tool, args } = asked;
  const modern = version === '2026-07-28';
  const params = `"name":"${tool}","arguments":${args.replaceAll('$id', String(id))}${modern ? `,${META}` : ''}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`;
  return [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `mcp-protocol-version: ${version}`,
    ...(modern ? ['mcp-method: tools/call', `mcp-name: ${tool}`] : []),
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

/** The first whole response in the text, or nothing yet. */
function takeResponse(text: string): string | null {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return null;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head + 2))?.[1];
  if (length !== undefined) return text.length < head + 4 + Number(length) ? null : text;
  return text.endsWith('\r\n0\r\n\r\n') ? text : null;
}

function judge(response: string, id: number, checked: boolean): Ending {
  if (response.startsWith('HTTP/1.1 503') && /\r\nretry-after: /i.test(response)) return 'refused';
  if (!response.startsWith('HTTP/1.1 200')) return 'failed';
  if (!checked) return 'right';
  if (/"error":|"isError":true/.test(response)) return 'failed';
  const named = response.match(/customer \d+/g) ?? [];
  return named.length > 0 && named.every((name) => name === `customer ${id}`) ? 'right' : 'wrong';
}

/** One connection, with one call at a time. Its answers are text of one byte a character. */
export async function exchange(socket: Socket, target: Target, id: number): Promise<Ending> {
  const response = await send(socket, toRequest(target, id));
  return response === null ? 'failed' : judge(response, id, target.checked);
}

/** Sends the bytes of a request. Returns the response with its head, or null if the connection ended before. */
export function send(socket: Socket, request: string): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    const end = (response: string | null): void => {
      socket.off('data', read);
      socket.off('close', fail);
      resolve(response);
    };
    const fail = (): void => end(null);
    const read = (chunk: string): void => {
      text += chunk;
      const response = takeResponse(text);
      if (response !== null) end(response);
    };
    socket.on('data', read);
    socket.once('close', fail);
    socket.write(request, 'latin1');
  });
}

/** Opens a connection whose text has one character a byte. */
export function connect(url: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: url.hostname, port: Number(url.port), noDelay: true });
    socket.setEncoding('latin1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      // An error closes the socket, and the close ends the call.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}
