import { expect, it } from 'vitest';
import { problemsOf, settingsOf, userFile } from '../fixture.ts';

const about = (fields: string) =>
  problemsOf({ user: userFile(`auth:\n  clients:\n    - { client_id: a, name: A, ${fields} }\n`) });

it.each([
  ['http://intranet.example/cb', 'is http'],
  ['https://app.example/cb#x', 'fragment'],
  ['app.example/cb', 'fragment'],
  ['HTTPS://app.example/cb', 'small letters'],
  ['https://app.example/*', '`*`'],
  ['javascript:alert(1)', 'fragment'],
])('the redirect address %s, to which nobody is sent back, is a warning', async (uri, text) => {
  const [found, ...others] = await about(`redirect_uris: ["https://app.example/cb", "${uri}"]`);
  expect([found, others]).toEqual([
    expect.stringMatching(/^config\.yml:8 client-unusable: `.*clients\[0\]\.redirect_uris\[1\]` /),
    [],
  ]);
  expect(found).toContain(text);
});

it.each([
  'https://app.example/cb?x=1',
  'http://localhost:3000/cb',
  'http://[::1]/cb',
  'cursor://callback',
  'com.example:/x',
])('the redirect address %s is none', async (uri) =>
  expect(await about(`redirect_uris: "${uri}"`)).toEqual([]),
);

it('refresh tokens alone are of no use', async () => {
  expect(await about('redirect_uris: "https://app.example/cb", grant_types: [refresh_token]')).toEqual([
    expect.stringMatching(/client-unusable: `.*grant_types` has refresh_token without authorization_code/),
  ]);
});

it('scopes are one each', async () => {
  const refused = expect.stringMatching(/wrong-value: `.*scopes\[0\]` must be one scope/);
  expect(await about('redirect_uris: "https://app.example/cb", scopes: ["svc:access sales:read"]')).toEqual([
    refused,
  ]);
  const required = userFile('auth: { authorization: { required_scopes: "svc:access sales:read" } }\n');
  expect(await problemsOf({ user: required })).toEqual([refused]);
  const one = userFile('auth: { authorization: { required_scopes: sales:read } }\n');
  expect((await settingsOf({ user: one })).auth.required_scopes).toEqual(['sales:read']);
});
