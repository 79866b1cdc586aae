import { expect, test } from 'vitest';
import { artefactAddresses } from '../../../../adapters/artefact/addresses.ts';
import { httpAccessOf, OPEN_ACCESS } from '../../../../src/http/access.ts';
import { OWN_ADDRESS } from '../../../../src/public-address.ts';
import { loadEdgeSettings } from '../../../../src/settings/without-files.ts';

const settingsOf = (bundled: string) =>
  loadEdgeSettings({
    project: 'demo',
    profile: 'default',
    secrets: [],
    bundled,
    env: {},
    openSource: () => ({ read: async () => '' }),
  });

const SIGNED_IN = { signIn: true, listens: null };
const ANONYMOUS = { signIn: false, listens: null };

test('nobody is limited, and the address is the one asked for, without a word in the configuration', async () => {
  for (const settings of [null, await settingsOf('svc: 1\n')]) {
    expect(artefactAddresses(settings, SIGNED_IN)).toEqual({
      rateLimit: null,
      publicAddress: { ...OWN_ADDRESS, scheme: settings === null ? null : 'http' },
      access: OPEN_ACCESS,
    });
  }
});

test('the configuration names the address, the hosts and the limit', async () => {
  const settings = await settingsOf(`svc: 1
transport:
  http:
    base_url: https://mcp.example.org/
    rate_limit: { requests_per_minute: 60 }
    allowed_hosts: [d1.cloudfront.net]
`);
  expect(artefactAddresses(settings, SIGNED_IN)).toMatchObject({
    rateLimit: { requestsPerMinute: 60, burst: 60 },
    access: { allowedHosts: ['d1.cloudfront.net', 'mcp.example.org'], allowedOrigins: null },
    publicAddress: { baseUrl: 'https://mcp.example.org' },
  });
  const https = await settingsOf('svc: 1\ntransport: { http: { scheme: https } }\n');
  expect(artefactAddresses(https, SIGNED_IN).publicAddress).toEqual({ ...OWN_ADDRESS, scheme: 'https' });
});

test.each([
  ['127.0.0.1', true],
  ['127.0.0.1', false],
  ['0.0.0.0', false],
  ['0.0.0.0', true],
])('a program that listens on %s itself has the access of its address, with sign-in: %s', (host, signIn) => {
  expect(artefactAddresses(null, { signIn, listens: { host } }).access).toEqual(
    httpAccessOf({ host, signIn }),
  );
});

test.each([
  ['{ requests_per_minute: 0 }', null],
  ['{ burst: 5 }', { requestsPerMinute: 600, burst: 5 }],
  ['{}', { requestsPerMinute: 600, burst: 600 }],
])('rate_limit: %s', async (written, expected) => {
  const settings = await settingsOf(`svc: 1\ntransport: { http: { rate_limit: ${written} } }\n`);
  expect(artefactAddresses(settings, SIGNED_IN).rateLimit).toEqual(expected);
});

test('without sign-in, web pages may call only by the names in the configuration', async () => {
  for (const settings of [null, await settingsOf('svc: 1\n')]) {
    expect(artefactAddresses(settings, ANONYMOUS).access).toEqual({ allowedHosts: null, allowedOrigins: [] });
  }
  const listed = await settingsOf(
    'svc: 1\ntransport: { http: { allowed_origins: [https://app.example.org] } }\n',
  );
  expect(artefactAddresses(listed, ANONYMOUS).access).toEqual({
    allowedHosts: null,
    allowedOrigins: ['https://app.example.org'],
  });
});
