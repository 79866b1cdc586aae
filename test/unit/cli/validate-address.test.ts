import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/project/finding.ts';
import { project, svc } from './svc.ts';

const VERIFIER = 'mode: verifier, verifier: { issuer: "https://id.example" }';
const KEYS = `api_keys: [{ name: nightly, hash: ${'ab'.repeat(32)} }]`;

async function warningsOf(http: string, auth: string): Promise<readonly string[]> {
  const config = `svc: 1
transport: { http: { ${http} } }
projects:
  demo:
    profiles:
      default:
        auth: { ${auth}, allow: { emails: [ada@example.com] } }
`;
  const { code, stdout } = await svc(['validate', '--json'], await project(), { SVC_CONFIG_YAML: config });
  const { findings }: { findings: Finding[] } = JSON.parse(stdout);
  expect([code, findings.filter(({ severity }) => severity === 'error')]).toEqual([0, []]);
  const found = findings.filter(({ code: kind }) => kind === 'address-unsafe');
  return found.map(({ line, message }) => `${line} ${message}`);
}

describe('svc validate', () => {
  it.each([
    ['host: 0.0.0.0', VERIFIER, '`transport.http.host` '],
    ['host: 0.0.0.0', KEYS, '`transport.http.host` '],
    ['base_url: "http://mcp.example.com"', VERIFIER, '`transport.http.base_url` '],
    ['host: 0.0.0.0, scheme: https', VERIFIER, '`transport.http.host` '],
  ])('warns of %s with sign-in, with which svc serve does not start', async (http, auth, text) => {
    const [found, ...others] = await warningsOf(http, auth);
    expect([found, others]).toEqual([expect.stringMatching(/^2 .*svc serve/), []]);
    expect(found).toContain(text);
  });

  it.each([
    ['base_url: "https://mcp.example.com", host: 0.0.0.0', VERIFIER],
    ['host: 127.0.0.1', VERIFIER],
    ['host: 0.0.0.0, scheme: https, allowed_hosts: [mcp.example.com]', VERIFIER],
  ])('does not warn of %s', async (http, auth) => {
    expect(await warningsOf(http, auth)).toEqual([]);
  });
});
