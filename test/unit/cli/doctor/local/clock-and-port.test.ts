import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkClock, diagnosePort } from '../../../../../cli/doctor/local/machine.ts';
import type { TransportSettings } from '../../../../../src/settings/model.ts';

test('a clock that is behind the files of the project is a problem, with how far it is', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  await writeFile(join(root, 'svc-site.yml'), 'svc: 1\n');
  expect((await checkClock(root)).status).toBe('ok');
  expect((await checkClock(root, Date.now() - 20_000)).status).toBe('ok');
  expect(await checkClock(root, Date.now() - 3_600_000)).toMatchObject({
    status: 'problem',
    message: expect.stringMatching(/at least 36\d\d s behind/),
    fix: expect.stringContaining('NTP'),
  });
  await rm(root, { recursive: true });
});

describe('the port', () => {
  let server: Server | null = null;
  afterEach(() => server?.close());

  async function taken(listener: RequestListener): Promise<number> {
    server = createServer(listener);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  const at = (
    port: number,
    host = '127.0.0.1',
    provider: TransportSettings['provider'] = 'streamable-http',
  ) =>
    diagnosePort({
      provider,
      http: {
        ...{ port, host, scheme: 'http', base_url: null, trust_proxy: false, stateless: false },
        ...{ allowed_hosts: null, allowed_origins: null, rate_limit: null },
      },
    });

  test('is free', async () => {
    expect((await at(0)).status).toBe('ok');
  });

  test('is taken by another program', async () => {
    const port = await taken((_request, response) => response.end('hello'));
    expect(await at(port)).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/another program/),
      fix: expect.stringMatching(/--port/),
    });
  });

  test('is taken by a server of ours, which is no problem', async () => {
    const port = await taken((_request, response) =>
      response.end('{"status":"ok","version":"1","hash":"abc"}'),
    );
    expect(await at(port)).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/an svc server answers/),
    });
  });

  test('is on an address that this machine has not', async () => {
    expect(await at(0, '203.0.113.1')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/EADDRNOTAVAIL/),
    });
  });

  test('is none over stdio', async () => {
    expect((await at(1, '203.0.113.1', 'stdio')).status).toBe('ok');
  });
});
