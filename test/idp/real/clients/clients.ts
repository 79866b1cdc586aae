import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { freePort } from '../../../free-port.ts';
import { createMemory, toAnswer } from '../../../unit/auth/flow/peers.ts';
import { folder } from '../../../unit/cli/svc.ts';
import { createVisitor, runProgram, toListener } from './program.ts';

/** The step after which the client's access token is refused, as an expired one is. */
export const EXPIRE = 'expire';

/** The texts that a client showed, one for each call, and the number of sign-ins that it asked for. */
export interface Shown {
  readonly texts: readonly string[];
  readonly visits: number;
}

/** An OAuth client of another project. */
export interface OAuthClient {
  readonly name: string;
  /** The text that a user sees who lacks the scope of a tool. */
  readonly missing: RegExp;
  /** Whether the client asks for a further scope when a tool needs it. */
  readonly stepsUp: boolean;
  /** Calls tools as a user, one after the other. */
  run(mcp: URL, user: string, steps: readonly string[]): Promise<Shown>;
}

const PARTS = process.env.SVC_TEST_IDP ?? '';
const PATH = [dirname(process.execPath), process.env.PATH].join(':');
/** A home of its own, and no browser of the machine. */
const environment = (home: string) => ({
  PATH,
  HOME: home,
  BROWSER: 'true',
  NO_COLOR: '1',
  MCP_REMOTE_CONFIG_DIR: home,
  MCP_STORAGE_DIR: home,
  MCP_AUTO_OPEN_ENABLED: 'true',
  MCP_INSPECTOR_SECRET_STORE: 'file',
  // Its log breaks addresses into lines.
  FASTMCP_LOG_LEVEL: 'ERROR',
});

const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? [thrown.message, textOf(thrown.cause)].filter(Boolean).join(': ') : '';

/** A script in Python that performs all steps in one process, and writes one line of JSON for each. */
const python = (name: string, script: string, listens: boolean): OAuthClient => ({
  name,
  missing: /bob@example\.com does not hold: report:read/,
  stepsUp: true,
  run: async (mcp, user, steps) => {
    const path = resolve('test/idp/real/clients', script);
    const { stdout, visits, stderr } = await runProgram({
      ...{ command: join(PARTS, 'venv/bin/python'), args: ['-W', 'ignore', path, mcp.href, ...steps] },
      ...{ env: { ...environment(folder()), PYTHONDONTWRITEBYTECODE: '1' }, user, listens },
    });
    const lines = stdout.split('\n').filter((line) => line.startsWith('"'));
    if (lines.length === 0) throw new Error(`${name} said nothing: ${stderr}`);
    return { texts: lines.map((line) => String(JSON.parse(line))), visits };
  },
});

/** Replaces our access tokens in the files that a client keeps. */
function spoilTokens(home: string): void {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  for (const file of names.filter((name) => name.endsWith('.json'))) {
    const text = readFileSync(join(home, file), 'utf8');
    writeFileSync(
      join(home, file),
      text.replaceAll(JWE, (token) => (isAccessToken(token) ? 'expired' : token)),
    );
  }
}

const JWE = /\bey[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+/g;
const isAccessToken = (token: string) =>
  Buffer.from(token.split('.')[0] ?? '', 'base64url').includes('svc-access+jwe');

const mcpRemote: OAuthClient = {
  name: 'mcp-remote',
  missing: /mcp-remote: Unauthorized/,
  stepsUp: true,
  run: async (mcp, user, steps) => {
    const home = folder();
    const [texts, args] = [
      [] as string[],
      [join(PARTS, 'node_modules/mcp-remote/dist/proxy.js'), mcp.href, String(await freePort())],
    ];
    let visits = 0;
    for (const step of steps) {
      if (step === EXPIRE) {
        spoilTokens(home);
        continue;
      }
      const visitor = createVisitor(user, toListener);
      const transport = new StdioClientTransport({
        command: process.execPath,
        args,
        env: environment(home),
        stderr: 'pipe',
      });
      let said = '';
      transport.stderr?.on('data', (chunk) => {
        said += chunk;
        visitor.read(chunk);
      });
      const client = new OldClient({ name: 'flow', version: '1' });
      try {
        await client.connect(transport);
        texts.push(toAnswer(await client.callTool({ name: step, arguments: {} })).text);
      } catch (thrown) {
        texts.push(`${textOf(thrown)}\n${said}`);
      }
      // A sign-in that it begins now reaches nobody.
      visits += visitor.end();
      await client.close();
    }
    return { texts, visits };
  },
};

const inspector: OAuthClient = {
  name: 'the Inspector',
  // Its list of tools has none that the user lacks a scope for.
  missing: /Tool 'by_group' not found on server/,
  stepsUp: false,
  run: async (mcp, user, steps) => {
    const home = folder();
    const program = join(PARTS, 'node_modules/.bin/mcp-inspector');
    const back = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const texts: string[] = [];
    let visits = 0;
    for (const step of steps) {
      if (step === EXPIRE) {
        spoilTokens(home);
        continue;
      }
      const args = ['--cli', mcp.href, '--transport', 'http', '--callback-url', back, '--format', 'json'];
      const ended = await runProgram({
        ...{
          command: process.execPath,
          args: [program, ...args, '--method', 'tools/call', '--tool-name', step],
        },
        ...{ env: environment(home), user, listens: true },
      });
      texts.push(`${ended.stdout}\n${ended.stderr}`);
      visits += ended.visits;
    }
    return { texts, visits };
  },
};

/** A connection of a TypeScript SDK, whose host brings the browser and the callback. */
interface Connection {
  connect(): Promise<void>;
  call(tool: string): Promise<string>;
  /** Whether the SDK waits for a sign-in. */
  isUnauthorized(thrown: unknown): boolean;
  finish(answer: URLSearchParams): Promise<void>;
  close(): Promise<void>;
}

type Memory = ReturnType<typeof createMemory>;

/** Both TypeScript SDKs in this process, which is their host: it signs in once if a step needs it, and tries again. */
const typescript = (
  { name, missing, stepsUp }: Omit<OAuthClient, 'run'>,
  open: (mcp: URL, provider: Memory['provider']) => Connection,
): OAuthClient => ({
  name,
  missing,
  stepsUp,
  run: async (mcp, user, steps) => {
    const memory = createMemory();
    const texts: string[] = [];
    let visits = 0;
    const signIn = async (connection: Connection, thrown: unknown) => {
      if (!connection.isUnauthorized(thrown)) throw thrown;
      visits += 1;
      await connection.finish(await memory.follow({ user }));
    };
    const perform = async (tool: string): Promise<string> => {
      const first = open(mcp, memory.provider);
      const connected = await first.connect().then(
        () => first,
        async (thrown) => {
          await signIn(first, thrown);
          const second = open(mcp, memory.provider);
          await second.connect();
          return second;
        },
      );
      const call = () => connected.call(tool);
      return call()
        .catch((thrown) => signIn(connected, thrown).then(call))
        .finally(() => connected.close());
    };
    for (const step of steps) {
      if (step === EXPIRE) memory.expire();
      else texts.push(await perform(step).catch(textOf));
    }
    return { texts, visits };
  },
});

const SDK2 = { name: 'TypeScript SDK 2', missing: /^Unauthorized$/, stepsUp: true };
const sdk2 = typescript(SDK2, (mcp, provider) => {
  const client = new Client({ name: 'flow', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StreamableHTTPClientTransport(mcp, { authProvider: provider });
  return {
    connect: () => client.connect(transport),
    call: async (name) => toAnswer(await client.callTool({ name, arguments: {} })).text,
    isUnauthorized: (thrown) => thrown instanceof UnauthorizedError,
    finish: (answer) => transport.finishAuth(answer),
    close: () => client.close(),
  };
});

// With a refresh token it refreshes instead of asking for the scope.
const SDK1 = { name: 'TypeScript SDK 1', missing: /403 after trying upscoping/, stepsUp: false };
const sdk1 = typescript(SDK1, (mcp, provider) => {
  const client = new OldClient({ name: 'flow', version: '1' });
  const transport = new OldTransport(mcp, { authProvider: provider as never });
  return {
    connect: () => client.connect(transport as Transport),
    call: async (name) => toAnswer(await client.callTool({ name, arguments: {} })).text,
    isUnauthorized: (thrown) => thrown instanceof OldUnauthorizedError,
    finish: (answer) => transport.finishAuth(answer.get('code') ?? ''),
    close: () => client.close(),
  };
});

/** The clients that sign in to our server, one row each. */
export const CLIENTS: readonly OAuthClient[] = [
  sdk2,
  sdk1,
  python('the Python SDK', 'mcp_sdk.py', false),
  python('fastmcp', 'fastmcp_client.py', true),
  mcpRemote,
  inspector,
];
