import { once } from 'node:events';
import { chmod, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkAudit, checkSocket } from '../../../../../cli/doctor/local/machine.ts';

let root: string;
let server: Server | null;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  server = null;
  await writeFile(join(root, 'file'), 'x');
});
afterEach(async () => {
  server?.close();
  await rm(root, { recursive: true });
});

const socketAt = (name: string) => checkSocket({ admin: { enabled: true, socket: join(root, name) } });

async function listen(name: string): Promise<void> {
  server = createServer((connection) => connection.end());
  await once(server.listen(join(root, name)), 'listening');
  await chmod(join(root, name), 0o600);
}

describe('the admin socket', () => {
  test('is nothing to look at while the admin API is off', async () => {
    const check = await checkSocket({ admin: { enabled: false, socket: join(root, 'gone/s.sock') } });
    expect(check).toMatchObject({ status: 'ok', message: 'the admin API is off' });
  });

  test('that is not there yet can be made, unless its folder cannot', async () => {
    expect((await socketAt('new/s.sock')).status).toBe('ok');
    expect(await socketAt('file/s.sock')).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining('SVC_ADMIN_SOCKET'),
    });
  });

  test('is answered on, or left from a server that is gone, which is no problem', async () => {
    await listen('s.sock');
    expect((await socketAt('s.sock')).message).toMatch(/a server answers/);
    await rename(join(root, 's.sock'), join(root, 'stale.sock'));
    server?.close();
    expect(await socketAt('stale.sock')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/left over from an earlier server/),
    });
    expect((await stat(join(root, 'stale.sock'))).isSocket()).toBe(true);
  });

  test('that others may open is a problem, and so is a file in its place', async () => {
    await listen('s.sock');
    await chmod(join(root, 's.sock'), 0o666);
    expect(await socketAt('s.sock')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/mode 666/),
      fix: expect.stringMatching(/^chmod 600 /),
    });
    expect(await socketAt('file')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/a file and not a socket/),
    });
  });
});

describe('the audit file', () => {
  const auditAt = (path: string, enabled = true) => checkAudit({ enabled, path }, root);

  test.each([
    ['a file that is there', 'file', 'ok'],
    ['one in folders that are not there yet', 'logs/deep/audit.jsonl', 'ok'],
    ['one below a file', 'file/audit.jsonl', 'problem'],
    ['a folder', '.', 'problem'],
  ])('%s', async (_what, path, status) => {
    expect((await auditAt(path)).status).toBe(status);
  });

  test('is nothing to look at where calls are not recorded', async () => {
    expect((await auditAt('file/x', false)).status).toBe('ok');
  });
});
