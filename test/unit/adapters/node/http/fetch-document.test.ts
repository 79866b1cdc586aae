import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createFetchDocument, isPublicAddress } from '../../../../../adapters/node/http/fetch-document.ts';

describe('an address', () => {
  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
    ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1', '203.0.113.9', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1'],
    ...[
      '64:ff9b::7f00:1',
      'fc00::1',
      'fd12:3456::1',
      'fe80::1',
      'fec0::1',
      'ff02::1',
      '2001:db8::1',
      '2002:7f00:1::',
    ],
    ...['2001::1', 'fd00:ec2::254', 'localhost', '', '1.2.3', '0x7f.0.0.1'],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.167.0.1', '2606:4700::1111', '2a00:1450::8a'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

const root = mkdtempSync(join(tmpdir(), 'svc-tls-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const [key, cert] = [join(root, 'key.pem'), join(root, 'cert.pem')];
execFileSync(
  'openssl',
  [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...[
      '-subj',
      '/CN=app.example',
      '-addext',
      'subjectAltName=DNS:app.example',
      '-keyout',
      key,
      '-out',
      cert,
    ],
  ],
  { stdio: 'ignore' },
);

async function serve(listener: RequestListener) {
  let connections = 0;
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, listener);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections };
}

const toThisMachine: LookupFunction = (_name, options, done) =>
  options.all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
const fetchHere = createFetchDocument({ lookup: toThisMachine, ca: readFileSync(cert, 'utf8') });
const signal = () => new AbortController().signal;

describe('a document', () => {
  it('is fetched over https', async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=60' });
      response.end('{"client_name":"é"}');
    });
    const fetched = await fetchHere(new URL(`https://app.example:${port}/c.json`), signal());
    expect(fetched).toEqual({ text: '{"client_name":"é"}', cacheControl: 'max-age=60' });
  });

  it.each<[string, RequestListener]>([
    [
      'an error',
      (_request, response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
    ],
    ['a page', (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{}')],
    [
      'more than 5 KB',
      (_request, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify('x'.repeat(6_000))),
    ],
    ['a redirect', (_request, response) => response.writeHead(302, { location: 'https://127.0.0.1/' }).end()],
  ])('is not %s', async (_name, listener) => {
    const { port } = await serve(listener);
    await expect(fetchHere(new URL(`https://app.example:${port}/c.json`), signal())).rejects.toMatchObject({
      code: 'client_invalid',
    });
  });

  it.each<[string, RequestListener]>([
    ['does not answer', (request) => request.socket.destroy()],
    ['answers 503', (_request, response) => response.writeHead(503).end()],
    ['answers 403', (_request, response) => response.writeHead(403).end()],
  ])('is worth another try after its server %s', async (_name, listener) => {
    const { port } = await serve(listener);
    await expect(fetchHere(new URL(`https://app.example:${port}/c.json`), signal())).rejects.toMatchObject({
      code: 'login_unavailable',
    });
  });

  it('is waited for no longer than its signal says', async () => {
    const { port } = await serve(() => {});
    const controller = new AbortController();
    const fetching = fetchHere(new URL(`https://app.example:${port}/c.json`), controller.signal);
    controller.abort();
    await expect(fetching).rejects.toMatchObject({ code: 'login_unavailable' });
  });

  it('needs a certificate that counts', async () => {
    const { port } = await serve((_request, response) => response.end('{}'));
    const fetching = createFetchDocument({ lookup: toThisMachine })(
      new URL(`https://app.example:${port}/`),
      signal(),
    );
    await expect(fetching).rejects.toMatchObject({ code: 'login_unavailable' });
  });

  // Requirements: as.cimd
  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f000001',
    '0',
    '127.1',
  ])('is never asked for at %s: nothing connects', async (host) => {
    const { port, connections } = await serve((_request, response) => response.end('{}'));
    const own = createFetchDocument({ ca: readFileSync(cert, 'utf8') });
    await expect(own(new URL(`https://${host}:${port}/c.json`), signal())).rejects.toMatchObject({
      code: 'client_invalid',
    });
    expect(connections()).toBe(0);
  });

  // A caller must not learn which names exist inside: those and names that do not exist have the same error.
  it.each([
    ['ENOTFOUND', 'client_invalid'],
    ['EAI_AGAIN', 'login_unavailable'],
  ])('at a name whose lookup fails with %s is %s', async (failure, code) => {
    const lookup: LookupFunction = (_name, _options, done) =>
      done(Object.assign(new Error('getaddrinfo'), { code: failure }), '', 0);
    const fetching = createFetchDocument({ lookup })(new URL('https://app.example/c.json'), signal());
    await expect(fetching).rejects.toMatchObject({ code });
  });

  it('is never asked for over http', async () => {
    await expect(fetchHere(new URL('http://app.example/c.json'), signal())).rejects.toMatchObject({
      code: 'client_invalid',
    });
  });
});
