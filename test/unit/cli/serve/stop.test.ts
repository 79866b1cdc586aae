import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { PYTHON } from '../../adapters/python/found.ts';
import { Svc } from '../svc.ts';
import { heldProject, type Served, serveHeld } from './held-project.ts';

const began = (root: string, name: string) =>
  vi.waitFor(() => expect(existsSync(join(root, `${name}.began`))).toBe(true), 60_000);
const running = ({ status }: Served, count: number) =>
  vi.waitFor(async () => expect(await status()).toMatchObject({ active_requests: count }), 60_000);

const CUT_OFF = 'The server is stopping, and the call did not end in time.';

describe.skipIf(PYTHON === null)('on SIGTERM', () => {
  // Requirements: signal.SIGTERM
  it('a call that ends in time is answered, and every other is told, in SQL and in Python', {
    timeout: 120_000,
  }, async () => {
    const served = await serveHeld({ database: ', readonly: true' });
    const { root, server, call } = served;
    const ends = call('held', { name: 'ends' });
    const calls = [call('held', { name: 'stays' }), call('slow')];
    await Promise.all([began(root, 'ends'), began(root, 'stays'), running(served, 3)]);
    server.child.kill('SIGTERM');
    writeFileSync(join(root, 'ends.go'), '');
    expect(await ends).toEqual({ result: ['first', 'first', '1'] });
    for (const answer of await Promise.all(calls)) expect(answer).toContain(CUT_OFF);
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  it('a read-write server tells the callers of its SQL too', { timeout: 120_000 }, async () => {
    const served = await serveHeld();
    const slow = served.call('slow');
    await running(served, 1);
    served.server.child.kill('SIGTERM');
    expect(await slow).toContain(CUT_OFF);
    expect(await served.server.ended).toMatchObject({ code: 0, signal: null });
  });

  it('a call over HTTP+SSE is answered or told as well', { timeout: 120_000 }, async () => {
    const served = await serveHeld({ flags: ['--transport', 'sse'] });
    const events = await fetch(served.url);
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (pattern: RegExp) => {
      for (;;) {
        const found = pattern.exec(text);
        if (found) return found;
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error(`the stream ended: ${text}`);
        text += value;
      }
    };
    const path = (await until(/data: (\S+)\n/))[1] ?? '';
    const send = (id: number, name: string) =>
      fetch(new URL(path, served.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: toCall(id, name),
      });
    await Promise.all([send(1, 'ends'), send(2, 'stays')]);
    await Promise.all([began(served.root, 'ends'), began(served.root, 'stays')]);
    served.server.child.kill('SIGTERM');
    writeFileSync(join(served.root, 'ends.go'), '');
    await until(/"id":1\b[^\n]*|[^\n]*"id":1\b/);
    expect((await until(/[^\n]*"id":2\b[^\n]*|[^\n]*did not end in time[^\n]*/))[0]).toContain(CUT_OFF);
    expect(await served.server.ended).toMatchObject({ code: 0, signal: null });
  });

  it('a call over stdio is answered or told as well', { timeout: 120_000 }, async () => {
    const { root, env } = heldProject();
    const server = new Svc(['serve', '--transport', 'stdio'], { cwd: root, env });
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const send = (line: string) => server.child.stdin?.write(`${line}\n`);
    send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello }));
    await server.until(/"id":0/);
    send(toCall(1, 'ends'));
    send(toCall(2, 'stays'));
    await Promise.all([began(root, 'ends'), began(root, 'stays')]);
    server.child.kill('SIGTERM');
    writeFileSync(join(root, 'ends.go'), '');
    const { code, stdout } = await server.ended;
    expect(code).toBe(0);
    const answers = stdout.split('\n').filter((line) => /"id":[12]\b/.test(line));
    expect(answers.find((line) => line.includes('"id":1'))).toContain('first');
    expect(answers.find((line) => line.includes('"id":2'))).toContain(CUT_OFF);
  });
});

function toCall(id: number, name: string): string {
  const params = { name: 'held', arguments: { name } };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}
