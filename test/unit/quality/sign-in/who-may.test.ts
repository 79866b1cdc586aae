import { expect, test } from 'vitest';
import type { Endpoint, EndpointFile } from '../../../../src/project/model.ts';
import { checkHolders, toWhoMay } from '../../../../src/quality/sign-in/who-may.ts';
import type { AuthSettings } from '../../../../src/settings/model.ts';
import { authSettings, grantTo, membersOf } from '../../auth/fixture.ts';
import { createIdp } from '../../auth/idp.ts';

const settings = (more: Partial<AuthSettings> = {}) => authSettings(createIdp(), { clients: [], ...more });

const endpoint = (name: string, scopes: readonly string[], enabled = true) =>
  ({ kind: 'tool', name, scopes, enabled }) as unknown as Endpoint;

const files = (...endpoints: readonly Endpoint[]): readonly EndpointFile[] =>
  endpoints.map((one) => ({
    file: `tools/${one.name}.yml`,
    kind: 'tool',
    endpoint: one,
    positions: { '/tool/scopes/0': { line: 4, column: 12 } } as unknown as EndpointFile['positions'],
  }));

const SALES = endpoint('sales', ['sales:read']);

test('names the people of every rule, and the endpoints behind each scope', () => {
  const auth = settings({
    allow: membersOf({ organizations: ['acme'], domains: ['acme.example'] }),
    grants: [
      ...grantTo({ groups: ['acme/sales'], emails: ['ada@example.com'] }, 'sales:read'),
      ...grantTo({ claims: { plan: ['team', 'pro'] } }, 'sales:read'),
    ],
    required_scopes: ['staff'],
  });
  expect(toWhoMay(auth, [SALES, endpoint('plain', [])])).toEqual({
    allowed: 'organization acme, everybody at acme.example',
    api_keys: [],
    scopes: [
      { scope: 'svc:access', held_by: ['everybody who may use the server'], needed_by: [] },
      { scope: 'staff', held_by: [], needed_by: ['every endpoint'] },
      {
        scope: 'sales:read',
        held_by: ['group acme/sales, ada@example.com', 'plan = team or pro'],
        needed_by: ['tool/sales'],
      },
    ],
  });
});

test('names the accounts of the provider where no rule restricts them, and nothing without sign-in', () => {
  expect(toWhoMay(settings(), [])?.allowed).toBe('everybody with a GitHub account');
  expect(toWhoMay(settings({ provider: null }), [SALES])).toBeNull();
});

test('a scope that nobody can hold is a warning at its place', () => {
  const found = files(SALES, endpoint('off', ['other'], false));
  expect(checkHolders(found, settings())).toMatchObject([
    {
      severity: 'warning',
      code: 'scope-unheld',
      file: 'tools/sales.yml',
      line: 4,
      message: 'Nobody holds the scope sales:read, so every call of sales is denied.',
    },
  ]);
  const granted = settings({ grants: grantTo({ groups: ['acme'] }, 'sales:read') });
  expect(checkHolders(found, granted)).toEqual([]);
  const { clients } = authSettings(createIdp());
  expect(checkHolders(found, settings({ clients }))).toEqual([]);
  expect(checkHolders(found, settings({ provider: null }))).toEqual([]);
});
