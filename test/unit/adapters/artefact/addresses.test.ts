import { expect, test } from 'vitest';
import { createAddresses } from '../../../../adapters/artefact/addresses.ts';
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

test('nobody is limited, and the address is the one asked for, without a word in the configuration', async () => {
  const { parts, follow } = createAddresses();
  for (const settings of [null, await settingsOf('svc: 1\n')]) {
    follow(settings, { signIn: true });
    expect(parts.rateLimit()).toBeNull();
    expect(parts.publicAddress()).toEqual({ ...OWN_ADDRESS, scheme: settings === null ? null : 'http' });
    expect(parts.access()).toEqual(OPEN_ACCESS);
  }
});

test('what the configuration says holds from the cold start on', async () => {
  const { parts, follow } = createAddresses();
  follow(
    await settingsOf(`svc: 1
transport:
  http:
    base_url: https://mcp.example.org/
    rate_limit: { requests_per_minute: 60 }
    allowed_hosts: [d1.cloudfront.net]
`),
    { signIn: true },
  );
  expect(parts.rateLimit()).toEqual({ requestsPerMinute: 60, burst: 60 });
  expect(parts.rateLimit()).toBe(parts.rateLimit());
  expect(parts.access()).toEqual({
    allowedHosts: ['d1.cloudfront.net', 'mcp.example.org'],
    allowedOrigins: null,
  });
  expect(parts.publicAddress().baseUrl).toBe('https://mcp.example.org');
  follow(await settingsOf('svc: 1\ntransport: { http: { scheme: https } }\n'), { signIn: true });
  expect(parts.publicAddress()).toEqual({ ...OWN_ADDRESS, scheme: 'https' });
});

test('a program that listens itself has the access of its address', async () => {
  for (const [host, signIn] of [
    ['127.0.0.1', true],
    ['127.0.0.1', false],
    ['0.0.0.0', false],
    ['0.0.0.0', true],
  ] as const) {
    const { parts, follow } = createAddresses({ host });
    follow(null, { signIn });
    expect(parts.access()).toEqual(httpAccessOf({ host, signIn }));
  }
});

test.each([
  ['{ requests_per_minute: 0 }', null],
  ['{ burst: 5 }', { requestsPerMinute: 600, burst: 5 }],
  ['{}', { requestsPerMinute: 600, burst: 600 }],
])('rate_limit: %s', async (written, expected) => {
  const { parts, follow } = createAddresses();
  follow(await settingsOf(`svc: 1\ntransport: { http: { rate_limit: ${written} } }\n`), { signIn: true });
  expect(parts.rateLimit()).toEqual(expected);
});

test('without sign-in, web pages may call only by the names in the configuration', async () => {
  const { parts, follow } = createAddresses();
  for (const settings of [null, await settingsOf('svc: 1\n')]) {
    follow(settings, { signIn: false });
    expect(parts.access()).toEqual({ allowedHosts: null, allowedOrigins: [] });
  }
  follow(await settingsOf('svc: 1\ntransport: { http: { allowed_origins: [https://app.example.org] } }\n'), {
    signIn: false,
  });
  expect(parts.access()).toEqual({ allowedHosts: null, allowedOrigins: ['https://app.example.org'] });
});
