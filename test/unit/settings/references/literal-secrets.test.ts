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
  'https://planted@x.example',
  'HTTPS://u:planted@x.example',
  'https://u:planted@${HOST}/v1',
  'https://planted@${HOST}',
  'https://u:planted@${HOST}:${PORT}/v1',
  'https://u:planted@[::1]:${PORT}',
  'https://x.example:${PORT}/?api_key=planted',
  'postgres://u:planted@db.example:${PORT}/shop',
  'https://x.example/v1?api_key=planted',
  'https://x.example/v1?access_token=planted',
  'https://bucket.s3.amazonaws.com/x?X-Amz-Signature=planted',
  'https://${ACCOUNT}.blob.core.windows.net/x?sp=r&sig=planted',
  'postgres://u:planted@db.example/shop',
])('the credential in the address %s is a literal secret', (address) => {
  const [finding, more] = check(
    userFile(`secrets: [{ name: db, type: custom, parameters: { url: "${address}" } }]\n`),
  );
  expect(finding).toMatchObject({
    code: 'literal-secret',
    message: expect.stringContaining('parameters.url'),
  });
  expect(more).toBe(undefined);
});

it.each([
  'https://x.example/v1',
  'https://${USER}:${PASSWORD}@x.example',
  'https://u:${PASSWORD}@x.example',
  'https://${TOKEN}@x.example',
  'https://u:${PASSWORD}@x.example:${PORT}/v1',
  'https://x.example:${PORT}/v1',
  'https://x.example/?api_key=a:${KEY}',
  'https://x.example/v1?api_key=${KEY}&page=1',
  'postgres://app@db.example/shop',
  'https://x.example/v1?team=a',
  'no secret = here',
  'db.example:5432',
])('the address %s has no literal secret', (address) => {
  expect(
    check(userFile(`secrets: [{ name: db, type: custom, parameters: { url: "${address}" } }]\n`)),
  ).toEqual([]);
});
