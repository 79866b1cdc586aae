import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../mcp/eventually.ts';
import { legacy, modern } from '../../mcp/fixture.ts';

const COMMAND = {
  command: process.execPath,
  args: [new URL('noisy-server.ts', import.meta.url).pathname],
  stderr: 'pipe' as const,
};
const LIST = [{ n: 1 }, { n: 2 }, { n: 3 }];

const MODES: readonly [string, VersionNegotiationMode, unknown][] = [
  ['auto', 'auto', LIST],
  ['legacy', 'legacy', { result: LIST }],
  ['pinned', { pin: '2026-07-28' }, LIST],
];

describe('SDK clients that launch the server', () => {
  it.each(MODES)('v2, %s', async (_name, mode, list) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport(COMMAND));
    expect((await client.listTools()).tools).toHaveLength(11);
    expect((await client.callTool({ name: 'numbers', arguments: {} })).structuredContent).toEqual(list);
    expect(await client.callTool({ name: 'crash', arguments: {} })).toMatchObject({ isError: true });
    await client.close();
  });

  it('v1', async () => {
    const client = new OldClient({ name: 'old', version: '1' });
    await client.connect(new OldTransport(COMMAND));
    expect(client.getServerVersion()).toMatchObject({ name: 'demo' });
    expect((await client.listTools()).tools).toHaveLength(11);
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    await client.close();
  });
});

describe('the process', () => {
  const children: ChildProcessWithoutNullStreams[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function launch() {
    const child = spawn(COMMAND.command, COMMAND.args);
    children.push(child);
    const lines: { readonly id: number }[] = [];
    let noise = '';
    createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
    child.stderr.on('data', (chunk) => {
      noise += chunk;
    });
    const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    const write = (...messages: readonly unknown[]) =>
      child.stdin.write(messages.map((m) => `${typeof m === 'string' ? m : JSON.stringify(m)}\n`).join(''));
    /** Answers come in the order in which calls end. */
    const byId = () => lines.toSorted((a, b) => a.id - b.id);
    return { child, lines, byId, exit, write, noise: () => noise };
  }

  const ping = (id: number) => ({ ...legacy('ping').body, id });
  const wait = { ...legacy('tools/call', { name: 'wait', arguments: {} }).body, id: 99 };
  const hello = legacy('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  }).body;

  // Requirements: event.logs, legacy.stdio
  it('prints nothing but messages on stdout, everything else on stderr', async () => {
    const { lines, write, noise, child, exit } = launch();
    write(hello, ping(1));
    await eventually(() => lines.length).toBe(2);
    await eventually(noise).toContain('noise from a timer');
    for (const source of ['console.log', 'console.info', 'process.stdout']) {
      expect(noise()).toContain(`noise from ${source}`);
    }
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(lines).toHaveLength(2);
  });

  // Requirements: legacy.initialize, legacy.batch
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-03-26', '2024-11-05'],
    ['2024-11-05', '2024-11-05'],
  ])('agrees with a client of %s on %s, because it takes no batches', async (protocolVersion, agreed) => {
    const { lines, write, child, exit } = launch();
    write({ ...hello, params: { ...hello.params, protocolVersion } }, [ping(1)]);
    child.stdin.end();
    await exit;
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 7, result: expect.objectContaining({ protocolVersion: agreed }) }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
      ]),
    );
  });

  it('answers what was asked before stdin ended, then exits', async () => {
    const { byId, write, child, exit } = launch();
    write(hello, ping(1), { ...legacy('tools/call', { name: 'numbers', arguments: {} }).body, id: 2 });
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(byId()).toMatchObject([
      { id: 1 },
      { id: 2, result: { structuredContent: { result: LIST } } },
      { id: 7 },
    ]);
  });

  it('answers a modern pipe too', async () => {
    const { byId, write, child, exit } = launch();
    write(modern('server/discover', {}, 1).body, modern('tools/call', { name: 'numbers' }, 2).body);
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(byId()).toMatchObject([
      { id: 1, result: { supportedVersions: ['2026-07-28'] } },
      { id: 2, result: { structuredContent: LIST, resultType: 'complete' } },
    ]);
  });

  it('does not wait longer than the grace for a call that does not end', async () => {
    const { lines, write, child, exit } = launch();
    write(hello, wait);
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(lines).toHaveLength(1);
  });

  it('ends cleanly on SIGTERM in the middle of a call', async () => {
    const { lines, write, child, exit } = launch();
    write(hello, wait, ping(3));
    await eventually(() => lines.length).toBe(2);
    child.kill('SIGTERM');
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['an older one', hello, wait],
    ['a modern one', modern('server/discover', {}, 1).body, modern('tools/call', { name: 'wait' }, 99).body],
  ])('cancels a call when the client says so: %s', async (_name, opening, call) => {
    const { byId, write, noise, child, exit } = launch();
    const meta = { _meta: (call.params as { _meta?: object })._meta };
    write(opening, call);
    await eventually(() => byId().length).toBe(1);
    write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99, ...meta } });
    await eventually(noise).toContain('tools/call wait failed: The call was cancelled.');
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(byId()).toHaveLength(1);
  });

  it('survives a client that hangs up', async () => {
    const { write, child, exit, lines } = launch();
    write(hello);
    await eventually(() => lines.length).toBe(1);
    child.stdout.destroy();
    write(ping(1), ping(2));
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it('answers what is no message with its error and goes on', async () => {
    const { lines, write, child, exit } = launch();
    const deep = `{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":${'['.repeat(99)}${']'.repeat(99)}}}`;
    write(
      hello,
      '',
      '  ',
      '{"jsonrpc"',
      '5',
      '{"jsonrpc":"2.0","id":3,"method":7}',
      deep,
      'x'.repeat(1024 * 1024 + 1),
      ping(9),
    );
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(lines).toHaveLength(7);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
        expect.objectContaining({ id: 9, result: {} }),
      ]),
    );
  });

  it('refuses a modern request without its envelope on a modern connection', async () => {
    const { byId, write, child, exit } = launch();
    write(modern('tools/list', {}, 1).body, legacy('tools/list').body, modern('ping', {}, 2).body);
    child.stdin.end();
    await exit;
    expect(byId()).toMatchObject([
      { id: 1, result: { resultType: 'complete' } },
      { id: 2, error: { code: -32601 } },
      { id: 7, error: { code: -32602 } },
    ]);
  });
});
