import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { project } from '../../cli/svc.ts';
import { eventually } from '../../mcp/eventually.ts';
import { legacy, modern } from '../../mcp/fixture.ts';

const SVC = resolve('cli/svc.js');

/** The machine's own Node, which may be too old and then starts ours. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/** What a desktop client gives to the programs that it starts: next to nothing, and its own folder. */
const commandFor = (root: string) => ({
  command: 'node',
  args: [SVC, '-C', root, 'serve', '--transport', 'stdio'],
  cwd: '/',
  env: { HOME: root, PATH },
});

const ECHO = `svc: 1
tool:
  name: echo
  parameters: [{ name: text, type: string }]
  return: { type: string }
  source: { code: "SELECT $text AS text" }
`;
const SLOW = `svc: 1
tool:
  name: slow
  return: { type: integer }
  source: { code: "SELECT CAST(count(*) AS INTEGER) AS n FROM range(1000000) a, range(1000000) b WHERE hash(a.range + b.range) % 7 = 0" }
`;

async function projectWithMore(): Promise<string> {
  const root = await project();
  writeFileSync(join(root, 'tools/echo.yml'), ECHO);
  writeFileSync(join(root, 'tools/slow.yml'), SLOW);
  return root;
}

const MODES: readonly [string, VersionNegotiationMode, string][] = [
  ['auto', 'auto', '2026-07-28'],
  ['legacy', 'legacy', '2025-11-25'],
  ['pinned', { pin: '2026-07-28' }, '2026-07-28'],
];

describe('clients that launch svc serve --transport stdio', () => {
  // Requirements: transport.stdio
  it.each(MODES)('SDK 2, %s', async (_name, mode, revision) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ ...commandFor(await project()), stderr: 'ignore' }));
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['hello_world']);
    expect(await client.callTool({ name: 'hello_world', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    await client.close();
  });

  it('SDK 1, with arguments and an answer of hundreds of kilobytes', async () => {
    const client = new OldClient({ name: 'old', version: '1' });
    await client.connect(new OldTransport({ ...commandFor(await projectWithMore()), stderr: 'ignore' }));
    const text = 'Zoë 東京 '.repeat(40_000);
    const { content } = await client.callTool({ name: 'echo', arguments: { text } });
    expect(content).toEqual([{ type: 'text', text }]);
    await client.close();
  });
});

interface Launched {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: { readonly id?: number; readonly result?: unknown; readonly error?: unknown }[];
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  write(...messages: readonly unknown[]): void;
}

async function launch(root: string): Promise<Launched> {
  const { command, args, cwd, env } = commandFor(root);
  const child = spawn(command, args, { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Launched['lines'] = [];
  // Fails on whatever is no message.
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  child.stderr.resume();
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const write = (...messages: readonly unknown[]) => {
    child.stdin.write(messages.map((m) => `${typeof m === 'string' ? m : JSON.stringify(m)}\n`).join(''));
  };
  return { child, lines, exit, write };
}

const hello = legacy('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 't', version: '1' },
}).body;
const ping = (id: number) => ({ ...legacy('ping').body, id });
const slow = { ...legacy('tools/call', { name: 'slow', arguments: {} }).body, id: 99 };

describe('the program', () => {
  it('prints nothing but messages, whatever it is sent', async () => {
    const { child, lines, exit, write } = await launch(await project());
    write(hello, '', 'no json', '{"jsonrpc":"2.0"}', '\u0000\u0001', `"${'x'.repeat(1024 * 1024)}"`, ping(2));
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(lines).toHaveLength(6);
    expect(lines.filter(({ error }) => error !== undefined)).toHaveLength(4);
    expect(lines.find(({ id }) => id === 2)).toMatchObject({ result: {} });
  });

  it('takes a request in pieces and several at once', async () => {
    const { child, lines, exit } = await launch(await project());
    const call = JSON.stringify({
      ...legacy('tools/call', { name: 'hello_world', arguments: { name: 'Zoë' } }).body,
      id: 3,
    });
    const bytes = Buffer.from(`${JSON.stringify(hello)}\n${call}\n${JSON.stringify(ping(4))}\n`);
    for (let start = 0; start < bytes.length; start += 7) child.stdin.write(bytes.subarray(start, start + 7));
    await eventually(() => lines.length).toBe(3);
    expect(JSON.stringify(lines)).toContain('Hello, Zoë!');
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it('ends with its input, also when nobody has said a word', async () => {
    const { child, exit } = await launch(await project());
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it.each(['SIGTERM', 'the end of the input'])('ends at %s in the middle of a call', async (how) => {
    const { child, lines, exit, write } = await launch(await projectWithMore());
    write(hello, slow, ping(5));
    await eventually(() => lines.length).toBe(2);
    if (how === 'SIGTERM') child.kill('SIGTERM');
    else child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines[2])).toContain('the call did not end in time');
  });

  it('ends with its input although its client reads nothing from stderr', async () => {
    const { child, lines, write } = await launch(await project());
    child.stderr.pause();
    const ended = once(child, 'exit');
    // The lines about so many calls are longer than what a pipe holds.
    const calls = Array.from({ length: 1_000 }, (_, id) => ({
      ...legacy('tools/call', { name: 'hello_world', arguments: { name: 'Ada' } }).body,
      id,
    }));
    write(hello, ...calls);
    await eventually(() => lines.length).toBe(1_001);
    child.stdin.end();
    expect(await Promise.race([ended, setTimeout(10_000, 'still there')])).toEqual([0, null]);
  });

  it('writes a long answer to its end although its client reads late', async () => {
    const { child, lines, exit, write } = await launch(await projectWithMore());
    const text = 'x'.repeat(500_000);
    child.stdout.pause();
    write(hello, { ...legacy('tools/call', { name: 'echo', arguments: { text } }).body, id: 3 });
    child.stdin.end();
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
    });
    await eventually(() => log).toContain('"endpoint":"echo"');
    expect(await Promise.race([once(child, 'exit'), setTimeout(1_000, 'still there')])).toBe('still there');
    child.stdout.resume();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(JSON.stringify(lines.find(({ id }) => id === 3))).toContain(text);
  });

  it.each([
    ['an older one', hello, slow],
    [
      'a modern one',
      modern('server/discover', {}, 1).body,
      modern('tools/call', { name: 'slow', arguments: {} }, 99).body,
    ],
  ])('frees the database when a client takes back a call: %s', async (_name, opening, call) => {
    const { child, lines, exit, write } = await launch(await projectWithMore());
    const meta = { _meta: (call.params as { _meta?: object })._meta };
    const again = { ...call, id: 100, params: { name: 'hello_world', arguments: { name: 'Ada' }, ...meta } };
    write(opening, call);
    await eventually(() => lines.length).toBe(1);
    write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99, ...meta } }, again);
    await eventually(() => lines.length).toBe(2);
    expect(JSON.stringify(lines[1])).toContain('Hello, Ada!');
    child.stdin.end();
    // A call that still ran would hold the process for the grace, and not be answered after it.
    expect(await exit).toEqual({ code: 0, signal: null });
  });
});
