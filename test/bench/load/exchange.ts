import { createConnection, type Socket } from 'node:net';

/* A request is a few bytes put together and an answer is searched as text, so that the client costs less than the server. */

/** `refused`: the server has too much to do, and says when to try again. */
export type Ending = 'right' | 'wrong' | 'refused' | 'failed';

const META =
  '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';

/** The bytes of a call of `tool_3`. */
function toRequest({ host, pathname }: URL, id: number): string {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_3","arguments":{"id":${id}},"_meta":${META}}}`;
  return [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    'mcp-protocol-version: 2026-07-28',
    'mcp-method: tools/call',
    'mcp-name: tool_3',
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
export function exchange(socket: Socket, url: URL, id: number, checked: boolean): Promise<Ending> {
  return new Promise((resolve) => {
    let text = '';
    const end = (ending: Ending): void => {
      socket.off('data', read);
      socket.off('close', fail);
      resolve(ending);
    };
    const fail = (): void => end('failed');
    const read = (chunk: string): void => {
      text += chunk;
      const response = takeResponse(text);
      if (response !== null) end(judge(response, id, checked));
    };
    socket.on('data', read);
    socket.once('close', fail);
    socket.write(toRequest(url, id), 'latin1');
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
