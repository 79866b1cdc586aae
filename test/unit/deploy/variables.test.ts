import { expect, test } from 'vitest';
import { tokenTableOf, variablesOf } from '../../../deploy/variables.ts';

const SELECTED = { project: 'shop', profile: 'default' };

const config = (auth: string) => `svc: 1
vault: { enabled: true, address: "https://vault.example", token_env: SHOP_VAULT }
transport: { http: { base_url: "https://\${HOST}/" } }
projects:
  shop:
    profiles:
      default: { auth: ${auth} }
      large: { auth: { provider: github, github: { client_id: x, client_secret: "\${LARGE_SECRET}" } } }
`;

const github = (more: string) =>
  `{ provider: github, github: { client_id: x, client_secret: "\${SECRET}" }${more} }`;

test.each([
  ['the references of the profile, and the keys', github(''), ['HOST', 'SECRET', 'SVC_AUTH_KEYS']],
  [
    'no further keys',
    github(', keys: [{ kid: a, secret: "vault://kv/keys#a" }]'),
    ['HOST', 'SECRET', 'SHOP_VAULT'],
  ],
  ['no keys in verifier mode', '{ mode: verifier, verifier: { issuer: "https://id.example" } }', ['HOST']],
  ['no keys without sign-in', '{ public: true }', ['HOST']],
])('variables: %s', (_, auth, expected) => {
  expect(variablesOf(config(auth), SELECTED)).toEqual(expected);
});

test('an artefact without a user file needs no variable and has no table', () => {
  expect(variablesOf(null, SELECTED)).toEqual([]);
  expect(tokenTableOf(null, SELECTED)).toBeNull();
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
const REFERENCE = '"${PLACE}"';

test.each([
  ['{ type: dynamodb, table: t }', { table: 't', region: null }],
  ['{ type: dynamodb, table: t, region: eu-west-1 }', { table: 't', region: 'eu-west-1' }],
  [`{ type: dynamodb, table: ${REFERENCE} }`, null],
  [`{ type: dynamodb, table: t, region: ${REFERENCE} }`, null],
  ['{ type: d1, binding: SESSIONS }', null],
])('the table of %s', (persistence, table) => {
  expect(tokenTableOf(config(github(`, persistence: ${persistence}`)), SELECTED)).toEqual(table);
});
