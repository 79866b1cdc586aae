import { connect } from 'node:net';
import { startHttpServer } from '../../../adapters/node/http/server.ts';
import { COOKIES, createDesk, REDIRECT, register, tokens } from '../../unit/auth/fixture.ts';
import { createMemoryStore } from '../../unit/auth/memory-store.ts';
import { createTestApp, legacy, modern, post } from '../../unit/mcp/fixture.ts';
import { createNoiseRuntime } from '../../unit/mcp/noise.ts';
import { BrokenPromise, type Door, enforce, toText } from '../door.ts';

/** Each message with its headers; the first character of an input chooses the headers. */
const MESSAGES = [
  modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } }),
  modern('resources/read', { uri: 'demo://items/1' }),
  modern('prompts/get', { name: 'ask', arguments: { about: 'x', often: '2' } }),
  legacy('tools/call', { name: 'greet', arguments: { name: 'Ada' }, _meta: { progressToken: 1 } }),
  legacy('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { sampling: {} },
    clientInfo: { name: 'fuzz', version: '1' },
  }),
  { ...legacy('', {}, null), body: [legacy('ping').body, legacy('tools/list').body] },
];
const JSON_WORDS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    'null',
    'true',
    '-0',
    '1e999',
    '9007199254740993',
  ],
  ...[
    '"jsonrpc":"2.0"',
    '"id":',
    '"method":',
    '"params":',
    '"name":',
    '"arguments":',
    '"_meta":',
    '"cursor":',
    '"uri":',
  ],
  ...[
    '"__proto__":',
    '"constructor":',
    '"tools/call"',
    '"tools/list"',
    '"resources/read"',
    '"prompts/get"',
    '"ping"',
  ],
  ...[
    '"completion/complete"',
    '"initialize"',
    '"notifications/cancelled"',
    '"subscriptions/listen"',
    '"progressToken":',
  ],
];
/** Never a fault of the server's own. */
const STATUSES = new Set([200, 202, 204, 400, 403, 404, 405, 406, 413, 415, 429]);

export const jsonRpc: Door = {
  name: 'json-rpc',
  promise: 'A body of /mcp gets an answer of the protocol, and never one of a fault inside.',
  seeds: MESSAGES.map(({ body }, index) => `${index}${JSON.stringify(body)}`),
  words: JSON_WORDS,
  quick: 4000,
  open: async () => {
    const runtime = createNoiseRuntime();
    const app = createTestApp(runtime);
    return {
      ask: async (input) => {
        const { headers } = MESSAGES[(input[0] ?? 0) % MESSAGES.length] ?? legacy('ping');
        const response = await app.fetch(post(toText(input.subarray(1)), headers));
        const text = await readStart(response);
        const lines = runtime.lines.splice(0);
        enforce(STATUSES.has(response.status), `the status is ${response.status}: ${text}`);
        enforce(!/-32603|Internal error/.test(text), `the answer is ${text}`);
        enforce(response.status === 202 || text.includes('"jsonrpc":"2.0"'), `no JSON-RPC: ${text}`);
        enforceNoFault(lines);
        runtime.fake.calls.length = 0;
      },
    };
  },
};

function enforceNoFault(lines: readonly { readonly level: string; readonly message: string }[]): void {
  const fault = lines.find(({ level }) => level === 'error');
  enforce(fault === undefined, `the log has a fault: ${fault?.message}`);
}

/** Of a stream that stays open, only its beginning. */
async function readStart(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

const wire = (body: string, head = 'POST /mcp') =>
  `${head} HTTP/1.1\r\nhost: localhost:8000\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

export const http: Door = {
  name: 'http',
  promise: 'Bytes on the socket get answers below 500 or a closed connection, and the server goes on.',
  seeds: [
    wire(JSON.stringify(legacy('tools/list').body)),
    wire(JSON.stringify(MESSAGES[3]?.body)),
    wire('', 'GET /health') + wire('', 'OPTIONS /mcp'),
    'POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n2;x=y\r\n1}\r\n0\r\nt: u\r\n\r\n',
  ],
  words: [
    ...[
      '\r\n',
      '\r\n\r\n',
      '\n',
      ' ',
      '\t',
      ':',
      '0\r\n\r\n',
      'GET',
      'HEAD',
      'CONNECT',
      'PRI',
      'OPTIONS *',
      'HTTP/1.0',
    ],
    ...[
      'content-length: 3',
      'content-length: -1',
      'transfer-encoding: chunked',
      'transfer-encoding: gzip',
      'host: x',
    ],
    ...[
      'expect: 100-continue',
      'upgrade: h2c',
      'connection: close',
      'connection: upgrade',
      'accept-encoding: gzip',
    ],
    ...[
      '/mcp',
      '/health',
      '/%2e%2e/',
      'http://[::1',
      '//',
      '?',
      '\0',
      '\u00ff',
      'x-forwarded-for: 1',
      'origin: null',
    ],
  ],
  quick: 1500,
  open: async () => {
    const runtime = createNoiseRuntime();
    const limits = { headersTimeout: 500, requestTimeout: 1_000, connectionsCheckingInterval: 100 };
    const app = createTestApp(runtime);
    const server = await startHttpServer({ app, host: '127.0.0.1', port: 0, limits, graceMs: 100 });
    return {
      ask: async (input) => {
        const answer = await exchange(server.port, input);
        const lines = runtime.lines.splice(0);
        enforce(/^(HTTP\/1\.1 \d{3} |$)/.test(answer), `the answer is ${answer.slice(0, 300)}`);
        enforce(!/^HTTP\/1\.1 5/m.test(answer), `the server failed: ${answer.slice(0, 300)}`);
        enforceNoFault(lines);
        runtime.fake.calls.length = 0;
      },
      close: () => server.close(),
    };
  },
};

/** Everything that the server says before the connection is over. */
async function exchange(port: number, bytes: Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.end(bytes);
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

/** The first line of an input is a method and a path, the others are headers up to an empty one, then the body. */
export const oauth: Door = {
  name: 'oauth',
  promise: 'A request to the OAuth paths gets an answer below 500, and no token that nobody asked for.',
  seeds: [
    'POST /token\ncontent-type: application/x-www-form-urlencoded\n\ngrant_type=authorization_code&client_id=CLIENT&code=x&redirect_uri=https%3A%2F%2Fclient.example%2Fback&code_verifier=vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv',
    'POST /token\ncontent-type: application/x-www-form-urlencoded\nauthorization: Basic a25vd246eA==\n\ngrant_type=client_credentials&scope=svc%3Aaccess',
    'POST /token\ncontent-type: application/x-www-form-urlencoded\n\ngrant_type=refresh_token&client_id=CLIENT&refresh_token=ey..x.y.z',
    'POST /revoke\ncontent-type: application/x-www-form-urlencoded\n\nclient_id=CLIENT&token=ey..x.y.z',
    `POST /register\ncontent-type: application/json\n\n${JSON.stringify({ redirect_uris: [REDIRECT], client_name: 'n', grant_types: ['authorization_code'], scope: 'svc:access', token_endpoint_auth_method: 'none' })}`,
    `GET /authorize?response_type=code&client_id=CLIENT&redirect_uri=https%3A%2F%2Fclient.example%2Fback&code_challenge=ccccccccccccccccccccccccccccccccccccccccccc&code_challenge_method=S256&state=s&scope=svc%3Aaccess&resource=https%3A%2F%2Fsvc.example%2Fmcp\ncookie: ${COOKIES}-browser-x=aaaaaaaaaaaaaaaaaaaaaa\n\n`,
    'POST /authorize\ncontent-type: application/x-www-form-urlencoded\nsec-fetch-site: same-origin\n\nticket=ey&answer=allow',
    `GET /callback?code=x&state=aaaaaaaaaaaaaaaaaaaaaa&iss=x\ncookie: ${COOKIES}-tx-aaaaaaaaaaaaaaaaaaaaaa=ey\n\n`,
    `POST /logout\ncookie: ${COOKIES}-sessions-x=ey; ${COOKIES}-sessions-y=ey\nauthorization: Bearer ey..x.y.z\n\n`,
    'POST /mcp\nauthorization: Bearer TOKEN\ncontent-type: application/json\n\n{}',
    'GET /.well-known/oauth-authorization-server\norigin: null\n\n',
  ],
  words: [
    ...[
      '&',
      '=',
      '%',
      '%00',
      '%ff',
      '+',
      '\n',
      ': ',
      '?',
      '#',
      ';',
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      '.',
      '..',
      'ey',
    ],
    ...[
      'CLIENT',
      'TOKEN',
      'known',
      'client_id=',
      'client_secret=',
      'scope=',
      'resource=',
      'state=',
      'code=',
      'request=',
    ],
    ...[
      'redirect_uri=',
      'https://',
      'http://127.0.0.1',
      'javascript:',
      'svc:access',
      'offline_access',
      'Basic ',
      'Bearer ',
    ],
    ...[
      'grant_type=',
      'response_type=',
      'response_mode=',
      'code_challenge=',
      'error=',
      'iss=',
      'svc_key_',
      'dcr_',
      '__proto__',
    ],
  ],
  quick: 3000,
  open: async () => {
    const desk = createDesk({ parts: { store: createMemoryStore() } });
    desk.idp.expiresIn = 7_200;
    const { client_id: client } = await register(desk);
    const { access_token: token } = await tokens(desk);
    return {
      ask: async (input) => {
        const request = toRequest(toText(input).replaceAll('CLIENT', client).replaceAll('TOKEN', token));
        if (request === null) return;
        const { status, headers, body } = await send(desk, request);
        const lines = desk.lines.splice(0);
        enforce(status < 500 || status === 501, `the status is ${status}: ${body}`);
        enforce(!/"(access|refresh)_token":/.test(body), `it gave a token: ${body}`);
        enforce(!/^javascript:/i.test(headers.get('location') ?? ''), 'it leads to a script');
        enforceNoFault(lines);
        desk.users.length = 0;
        desk.idp.asked.length = 0;
      },
    };
  },
};

interface Asked {
  readonly path: string;
  readonly init: RequestInit;
}

/** Null for what no HTTP library would pass on. */
function toRequest(text: string): Asked | null {
  const [, head = '', body = ''] = /^([\s\S]*?)\n\n([\s\S]*)$/.exec(text) ?? ['', text];
  const [first = '', ...lines] = head.split('\n');
  const [method = '', path = ''] = first.split(' ');
  try {
    const headers = Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/).slice(0, 2)));
    const init = { method, headers, ...(method === 'GET' || method === 'HEAD' ? {} : { body }) };
    const url = new URL(path, 'https://svc.example');
    new Request(url, init);
    // Adapters pass on addresses of HTTP only.
    return url.protocol === 'https:' ? { path, init } : null;
  } catch {
    return null;
  }
}

async function send(desk: ReturnType<typeof createDesk>, { path, init }: Asked) {
  try {
    const response = await desk.fetch(path, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  } catch (thrown) {
    throw new BrokenPromise(`a request was not answered: ${thrown}`, { cause: thrown });
  }
}
