import { expect, it } from 'vitest';
import { checkLiteralSecrets } from '../../../../src/settings/references/literal-secrets.ts';
import { userFile } from '../fixture.ts';

const check = (text: string) => checkLiteralSecrets(new TextEncoder().encode(text), 'config.yml');

it('a user file of references alone may travel', () => {
  const text = userFile(
    `secrets:
  - name: db
    type: postgres
    parameters: { host: db.example, port: 5432, password: "\${DB_PASSWORD}", tls: { key: "vault://a/b#c" }, ssl: true }
auth:
  provider: github
  github: { client_id: id, client_secret: "op://v/i/f" }
telemetry: { headers: { authorization: "Bearer \${TOKEN}" } }
`,
    'models: { fast: { type: claude, api_key: "file:///run/key" } }\n',
  );
  expect(check(text)).toEqual([]);
});

it('every secret that stands in it is named with its place, never shown', () => {
  const text = userFile(
    `secrets: [{ name: db, type: custom, parameters: { password: planted, pin: 4711, deep: { key: planted } } }]
auth:
  github: { client_id: id, client_secret: planted }
  clients: [{ client_id: c, name: C, client_secret: planted }]
telemetry: { endpoint: "https://u:planted@x.example", headers: { authorization: planted } }
`,
    'models: { fast: { type: claude, api_key: planted }, models: { slow: { type: openai, api_key: planted } } }\n',
  );
  const findings = check(text);
  expect(
    findings.map(({ message }) => /`([^`]+)`/.exec(message)?.[1]?.replace(/^projects.*dev\./, '')),
  ).toEqual([
    'models.fast.api_key',
    'models.models.slow.api_key',
    'secrets[0].parameters.password',
    'secrets[0].parameters.pin',
    'secrets[0].parameters.deep.key',
    'auth.github.client_secret',
    'auth.clients[0].client_secret',
    'telemetry.endpoint',
    'telemetry.headers.authorization',
  ]);
  expect(findings.every(({ code, line }) => code === 'literal-secret' && line > 0)).toBe(true);
  expect(JSON.stringify(findings)).not.toContain('planted');
});

it.each([
  ['https://planted@x.example'],
  ['https://x.example/v1?access_token=planted'],
  ['postgres://u:planted@x.example/db'],
])('%s is an address with a secret', (address) => {
  const [finding] = check(userFile(`telemetry: { resource_attributes: { from: "${address}" } }\n`));
  expect(finding).toMatchObject({ code: 'literal-secret' });
});

it.each([['https://x.example/v1?team=a'], ['postgres://u@x.example/db'], ['no secret = here']])(
  '%s is none',
  (text) => {
    expect(check(userFile(`telemetry: { resource_attributes: { from: "${text}" } }\n`))).toEqual([]);
  },
);
