import { afterEach, describe, expect, it } from 'vitest';
import { toAddressOptions, UNCONFIGURED } from '../../../../../adapters/node/http/addresses.ts';
import { type HttpServer, startHttpServer } from '../../../../../adapters/node/http/server.ts';
import { LOCAL_ACCESS, OPEN_ACCESS } from '../../../../../src/http/access.ts';
import { createFakeRuntime, createTestApp, legacy } from '../../../mcp/fixture.ts';

const LIMIT = { requestsPerMinute: 1, burst: 1 };
const USUAL = { requestsPerMinute: 600, burst: 600 };

describe('toAddressOptions', () => {
  it.each([
    ['127.0.0.1', false, null],
    ['localhost', false, null],
    ['::1', false, null],
    ['127.0.0.1', true, USUAL],
    ['0.0.0.0', false, USUAL],
    ['10.0.0.5', false, USUAL],
  ])('without a word, limits %s, trust_proxy %s, to what suits it', (host, trust_proxy, expected) => {
    expect(toAddressOptions({ ...UNCONFIGURED, host, trust_proxy }, { signIn: true }).rateLimit).toEqual(
      expected,
    );
  });

  it('takes the limit that is configured, also for this machine', () => {
    const rate_limit = { requests_per_minute: 30, burst: 5 };
    const { rateLimit } = toAddressOptions(
      { ...UNCONFIGURED, host: '127.0.0.1', rate_limit },
      { signIn: true },
    );
    expect(rateLimit).toEqual({ requestsPerMinute: 30, burst: 5 });
  });

  it('has no limit at 0', () => {
    const rate_limit = { requests_per_minute: 0, burst: 1 };
    expect(
      toAddressOptions({ ...UNCONFIGURED, host: '0.0.0.0', rate_limit }, { signIn: true }).rateLimit,
    ).toBeNull();
  });

  it('answers to the public name beside the names of the machine', () => {
    const { access, publicAddress } = toAddressOptions(
      {
        ...UNCONFIGURED,
        host: '127.0.0.1',
        base_url: 'https://mcp.example.org',
        trust_proxy: true,
      },
      { signIn: true },
    );
    const names = [...(LOCAL_ACCESS.allowedHosts ?? []), 'mcp.example.org'];
    expect(access).toEqual({ allowedHosts: names, allowedOrigins: names });
    expect(publicAddress).toEqual({ baseUrl: 'https://mcp.example.org', trustProxy: true, scheme: 'http' });
  });

  it('answers beyond the machine without sign-in only to addresses and known names, and to no foreign page', () => {
    const known = { addresses: true, allowedHosts: ['localhost', '127.0.0.1', '[::1]'] };
    const { access } = toAddressOptions({ ...UNCONFIGURED, host: '0.0.0.0' }, { signIn: false });
    expect(access).toEqual({ ...known, allowedOrigins: known.allowedHosts });
    const base_url = 'https://mcp.example.org';
    const named = toAddressOptions({ ...UNCONFIGURED, host: 'box.lan', base_url }, { signIn: false });
    const names = [...known.allowedHosts, 'box.lan', 'mcp.example.org'];
    expect(named.access).toEqual({
      addresses: true,
      allowedHosts: names,
      allowedOrigins: [...known.allowedHosts, 'mcp.example.org'],
    });
  });

  it('answers with sign-in to every name beyond the machine', () => {
    expect(toAddressOptions({ ...UNCONFIGURED, host: '0.0.0.0' }, { signIn: true }).access).toEqual(
      OPEN_ACCESS,
    );
  });

  it('answers to the names that are listed, and where all were allowed to no others', () => {
    const listed = { allowed_hosts: ['MCP.example.org'], allowed_origins: ['https://app.example.org'] };
    expect(
      toAddressOptions({ ...UNCONFIGURED, ...listed, host: '0.0.0.0' }, { signIn: true }).access,
    ).toEqual({
      allowedHosts: ['mcp.example.org'],
      allowedOrigins: ['https://app.example.org'],
    });
    const { allowedHosts } = toAddressOptions(
      { ...UNCONFIGURED, ...listed, host: '127.0.0.1' },
      { signIn: true },
    ).access;
    expect(allowedHosts).toEqual([...(LOCAL_ACCESS.allowedHosts ?? []), 'mcp.example.org']);
  });

  it('answers to all by a star', () => {
    const all = { allowed_hosts: ['*'], allowed_origins: ['*'] };
    expect(toAddressOptions({ ...UNCONFIGURED, ...all, host: '127.0.0.1' }, { signIn: true }).access).toEqual(
      OPEN_ACCESS,
    );
  });
});

describe('the address of a client', () => {
  const open: HttpServer[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  /** A server that lets one request of each client through, asked for each of the headers. */
  async function ask(trustProxy: boolean, forwarded: readonly (string | null)[]): Promise<number[]> {
    const app = createTestApp(createFakeRuntime(), { rateLimit: LIMIT });
    const server = await startHttpServer({ app, host: '127.0.0.1', port: 0, trustProxy });
    open.push(server);
    const { body, headers } = legacy('ping');
    const statuses: number[] = [];
    for (const header of forwarded) {
      const response = await fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          ...(header === null ? {} : { 'x-forwarded-for': header }),
        },
        body: JSON.stringify(body),
      });
      statuses.push(response.status);
      await response.text();
    }
    return statuses;
  }

  it('is the one of its socket: a header of its own gains it nothing', async () => {
    expect(await ask(false, [null, '1.1.1.1', '2.2.2.2'])).toEqual([200, 429, 429]);
  });

  it('is what a trusted proxy says, whatever the client has put in front', async () => {
    const forwarded = ['192.0.2.1', '9.9.9.9, 192.0.2.1', '192.0.2.2', '192.0.2.1, 192.0.2.3'];
    expect(await ask(true, forwarded)).toEqual([200, 429, 200, 200]);
  });

  it('is the socket again where a trusted proxy says nothing', async () => {
    expect(await ask(true, [null, null])).toEqual([200, 429]);
  });
});
