import { describe, expect, test } from 'vitest';
import { load, settingsOf, userFile } from '../fixture.ts';

const GITHUB = 'provider: github\n  github: { client_id: i, client_secret: s }';
const GOOGLE = 'provider: google\n  google: { client_id: i, client_secret: s }';
const VERIFIER = 'mode: verifier\n  verifier: { issuer: https://id.example }';
const ALLOW = 'allow: { emails: [ada@example.com] }';

/** The findings of a block `auth`, as `severity code key: message`. */
async function findingsOf(...lines: readonly string[]): Promise<readonly string[]> {
  const { findings } = await load({ user: userFile(`auth:\n  ${lines.join('\n  ')}\n`) });
  return findings.map(({ severity, code, message }) =>
    `${severity} ${code} ${message}`.replaceAll('projects.demo.profiles.dev.auth.', ''),
  );
}

describe('a provider that signs everybody in', () => {
  test.each([
    [
      GITHUB,
      '`provider` is set without `allow` beside it, so everybody with a GitHub account may use the server.',
    ],
    [
      VERIFIER,
      '`mode` is set without `allow` beside it, so every user for whom the issuer makes a token may use the server.',
    ],
    [
      GOOGLE.replace('s }', 's, extra_authorize_params: { hd: "*" } }'),
      '`provider` is set without `allow` beside it, so everybody with an account of any Google Workspace may use the server.',
    ],
  ])('is reported: %s', async (block, message) => {
    expect(await findingsOf(block)).toEqual([`warning sign-in-open ${message}`]);
    expect(await findingsOf(block, ALLOW)).toEqual([]);
  });

  test('is not reported with a domain of its own, nor without sign-in', async () => {
    const own = GOOGLE.replace('s }', 's, extra_authorize_params: { hd: example.com } }');
    expect(await findingsOf(own)).toEqual([]);
    expect(await findingsOf('provider: none')).toEqual([]);
  });
});

// Requirements: own.public
test('a server that is public on purpose is reported as such, unless it has sign-in', async () => {
  expect(await findingsOf('public: true')).toEqual([
    'info public-on-purpose `public` is true and there is no sign-in, so everybody who reaches the server may call it, on purpose.',
  ]);
  expect((await findingsOf(GITHUB, ALLOW, 'public: true')).join()).not.toContain('public-on-purpose');
});

describe('a rule', () => {
  test.each([
    ['allow: {}', '`allow` names nobody.'],
    ['allow:', '`allow` names nobody.'],
    ['allow: { emails: [] }', '`allow` names nobody.'],
    ['grants: [{ scope: a, to: { claims: { role: [] } } }]', '`grants[0].to` names nobody.'],
    ['allow: { emails: [example.com] }', '`allow.emails` has example.com, which is not an email address.'],
    ['allow: { domains: ["@example.com"] }', '`allow.domains` has @example.com, which is not a domain.'],
    ['allow: { domains: ["*"] }', '`allow.domains` has *, which is not a domain.'],
  ])('that cannot be meant is an error: %s', async (written, message) => {
    expect(await findingsOf(GITHUB, written)).toContain(`error wrong-value ${message}`);
  });

  test.each([
    [GITHUB, 'claims: { login: [ada] }', 'grant-unverified `allow.claims.login` is not verified'],
    [
      VERIFIER,
      'claims: { scope: [a] }',
      'grant-unverified `allow.claims.scope` contains what the client asked for',
    ],
    [
      GOOGLE,
      'groups: [a]',
      'grant-idle `allow.groups` matches nobody, because the provider names no groups.',
    ],
    [
      GITHUB.replace('s }', 's, scope: "read:user" }'),
      'organizations: [acme]',
      'grant-idle `allow.organizations` matches nobody, because `github.scope` does not ask for it.',
    ],
  ])('that is risky or idle is a warning: %s, %s', async (block, rule, message) => {
    expect((await findingsOf(block, `allow: { ${rule} }`)).join('\n')).toContain(`warning ${message}`);
  });

  test('that the provider can decide has no finding', async () => {
    const rule = 'allow: { groups: [acme], organizations: [acme], claims: { plan: [team] } }';
    expect(await findingsOf(GITHUB, rule)).toEqual([]);
  });
});

test('a required scope that no grant gives is reported, and a grant of svc:access', async () => {
  const required = 'authorization: { required_scopes: [a, svc:access, b] }';
  const grant = (scope: string) => `grants: [{ scope: ${scope}, to: { emails: [ada@example.com] } }]`;
  expect(await findingsOf(GITHUB, ALLOW, required, grant('b'))).toEqual([
    'warning scope-unheld `authorization.required_scopes` has a, which no entry of `grants` gives, so no user may use the server.',
  ]);
  expect((await findingsOf(GITHUB, ALLOW, grant('svc:access'))).join()).toContain('grant-idle');
});

test('a scope of a grant is one scope', async () => {
  expect((await findingsOf(GITHUB, ALLOW, 'grants: [{ scope: "a b", to: { groups: x } }]')).join()).toContain(
    'one scope',
  );
});

test('a rule without a value stays closed', async () => {
  const { settings } = await load({ user: userFile(`auth:\n  ${GITHUB}\n  allow:\n`) });
  expect(settings).toBeNull();
  const { auth } = await settingsOf({ user: userFile(`auth:\n  ${GITHUB}\n`) });
  expect(auth.allow).toBeNull();
});
