import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../../adapters/node/http/server.ts';
import { freePort } from '../../free-port.ts';
import { Browser, createDesk } from './fixture.ts';

const SUITE = resolve('node_modules/.bin/conformance');

// Requirements: as.metadata
it('the official suite for authorization servers passes', { timeout: 120_000 }, async () => {
  const port = await freePort();
  const redirect_uris = ['http://127.0.0.1:3000/callback'];
  const grant_types = ['authorization_code' as const, 'refresh_token' as const];
  const client = { client_id: 'suite', name: 'Suite', client_secret: null, redirect_uris, grant_types };
  const clients = [{ ...client, scopes: ['svc:access'] }];
  const desk = createDesk({ auth: { clients }, http: { base_url: null } });
  const server = await startHttpServer({ app: desk.app, host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const child = spawn(process.execPath, [
    ...[SUITE, 'authorization', '--url', server.url, '--client-id', 'suite', '--port', String(port)],
    '--verbose',
  ]);
  onTestFinished(() => void child.kill());
  let output = '';
  let opened = false;
  const browse = async (url: string) => {
    const go = (path: string, init?: RequestInit) =>
      fetch(new URL(path, server.url), { ...init, redirect: 'manual' });
    const browser = new Browser({ ...desk, base: server.url, fetch: go });
    await fetch(await browser.finish(await browser.go(url)));
  };
  const read = (chunk: Buffer) => {
    output += chunk;
    const url = /(http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+)\s/.exec(output)?.[1];
    // It names the address before it listens for the person who comes back from there.
    if (url === undefined || opened || !output.includes('Callback server started')) return;
    opened = true;
    void browse(url);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await new Promise((done) => child.on('close', done));
  expect(output).toMatch(/Total: [1-9]\d* passed, 0 failed/);
  expect(code).toBe(0);
});
