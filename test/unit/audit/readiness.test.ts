import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FileSink } from '../../../adapters/audit/file-sink.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { createFakeRuntime, createTestApp } from '../mcp/fixture.ts';

it('/ready answers 503 while calls cannot be recorded, and 200 again without a call in between', async () => {
  const path = join(temporaryFolder(), 'log.jsonl');
  symlinkSync('/dev/full', path);
  const limits = { maxBytes: 1e9, maxAgeMs: Number.POSITIVE_INFINITY };
  const sink = new FileSink({ path, limits, onError: 'block', log: () => {} });
  onTestFinished(() => sink.close());
  await sink.open();
  const app = createTestApp({ ...createFakeRuntime(), admit: () => sink.admit() });
  const ready = async () => {
    const request = new Request('http://localhost/ready', { headers: { host: 'localhost' } });
    return (await app.fetch(request)).json();
  };
  expect(await ready()).toEqual({ status: 'ready' });
  sink.record('{"id":"first"}');
  await expect(sink.flush()).rejects.toThrow(/ENOSPC/);
  expect(await ready()).toMatchObject({ error: 'audit_unavailable' });
  rmSync(path);
  await expect.poll(ready).toEqual({ status: 'ready' });
  expect(readFileSync(path, 'utf8')).toBe('{"id":"first"}\n');
});
