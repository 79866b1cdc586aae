import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { load, settingsOf, userFile } from '../fixture.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const HASH = hashOf('planted');
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** The findings of a block `auth`, as `severity code message`. */
async function findingsOf(...lines: readonly string[]): Promise<readonly string[]> {
  const { findings } = await load({ user: userFile(`auth:\n  ${lines.join('\n  ')}\n`) });
  const texts = findings.map(({ severity, code, message, fix }) => `${severity} ${code} ${message} ${fix}`);
  expect(texts.join('\n')).not.toContain(HASH);
  return texts.map((text) => text.replaceAll('projects.demo.profiles.dev.auth.', ''));
}

const auth = async (block: string) => (await settingsOf({ user: userFile(`auth: ${block}\n`) })).auth;

describe('API keys of the user file', () => {
  test('are read with everything that policies see', async () => {
    const { api_keys } = await auth(`{ api_keys: [
      { name: nightly, hash: ${HASH.toUpperCase()}, scopes: ["sales:read"], expires: "2999-01-31",
        user: { id: robot-1, email: robot@example.com, role: reader, groups: [ops], claims: { site: 7 } } },
      { name: plain, hash: ${hashOf('other')}, scopes: "a:b" } ] }`);
    expect(api_keys).toEqual([
      {
        name: 'nightly',
        hash: HASH,
        scopes: ['sales:read'],
        expires: Date.UTC(2999, 0, 31),
        user: {
          id: 'robot-1',
          username: null,
          email: 'robot@example.com',
          name: null,
          provider: 'api-key',
          role: 'reader',
          permissions: [],
          groups: ['ops'],
          capabilities: [],
          claims: { site: 7 },
          externalToken: null,
          apiKey: 'nightly',
        },
      },
      expect.objectContaining({ scopes: ['a:b'], expires: null }),
    ]);
    expect(api_keys?.[1]?.user).toMatchObject({ id: 'plain', groups: [], claims: {} });
  });

  // Requirements: api-key.closed
  test('are absent without the key, and an empty list without a value, so that nothing opens', async () => {
    expect((await auth('{ provider: none }')).api_keys).toBeNull();
    expect((await auth('{ api_keys: [] }')).api_keys).toEqual([]);
    expect((await auth('{ api_keys: }')).api_keys).toEqual([]);
  });

  test.each([
    ['{ name: a }', 'missing-field `api_keys[0].hash` is missing.'],
    [`{ hash: ${HASH} }`, 'missing-field `api_keys[0].name` is missing.'],
    [
      '{ name: a, hash: planted-key }',
      'wrong-value `api_keys[0].hash` must be a SHA-256: 64 hexadecimal digits.',
    ],
    [`{ name: "a b", hash: ${HASH} }`, 'wrong-value `api_keys[0].name` must be a name of 1 to 64 letters'],
    [`{ name: a, hash: ${HASH}, expires: soon }`, 'wrong-value `api_keys[0].expires` must be a time.'],
    [`{ name: a, hash: ${HASH}, scopes: ["a b"] }`, 'wrong-value `api_keys[0].scopes[0]` must be one scope'],
    [`{ name: a, hash: ${HASH}, user: { id: 7 } }`, 'wrong-type `api_keys[0].user.id` must be text'],
    [`{ name: a, hash: ${HASH}, key: x }`, 'unknown-key `api_keys[0].key` is not a known key here.'],
  ])('%s is refused', async (entry, expected) => {
    const [found = '', ...others] = await findingsOf(`api_keys: [${entry}]`);
    expect(others).toEqual([]);
    expect(found).toContain(`error ${expected}`);
    expect(found).not.toContain('planted');
  });

  test.each([
    [
      `{ name: a, hash: ${HASH} }, { name: a, hash: ${hashOf('b')} }`,
      '`api_keys[1].name` is also the name of',
    ],
    [
      `{ name: a, hash: ${HASH} }, { name: b, hash: ${HASH.toUpperCase()} }`,
      '`api_keys[1].hash` is also the hash of the key a.',
    ],
  ])('two entries that could be confused are an error (%#)', async (entries, message) => {
    expect(await findingsOf(`api_keys: [${entries}]`)).toEqual([
      expect.stringContaining(`error duplicate-name ${message}`),
    ]);
  });

  test('expired and soon expiring keys are reported, others are not', async () => {
    const key = (expires: string) => `api_keys: [{ name: a, hash: ${HASH}, expires: "${expires}" }]`;
    expect(await findingsOf(key('2020-01-01'))).toEqual([
      expect.stringMatching(
        /^warning api-key-expired `api_keys\[0\].expires` has passed, so the key a lets nobody in/,
      ),
    ]);
    expect(await findingsOf(key(inDays(6.5)))).toEqual([
      expect.stringMatching(
        /^warning api-key-expires `api_keys\[0\].expires` ends the key a in 7 days or less/,
      ),
    ]);
    expect(await findingsOf(key(inDays(31)))).toEqual([]);
  });

  test('a key without a required scope may call nothing, which is reported', async () => {
    const lines = [`api_keys: [{ name: a, hash: ${HASH}, scopes: [b] }]`];
    expect(await findingsOf(...lines, 'authorization: { required_scopes: [b, svc:access] }')).toEqual([]);
    expect(await findingsOf(...lines, 'authorization: { required_scopes: [c] }')).toEqual([
      expect.stringMatching(/^warning scope-unheld `api_keys\[0\]` lacks c, which every caller must hold/),
    ]);
  });
});

// Requirements: api-key.hash
test('no list of effective values shows a hash', async () => {
  const { effective } = await load({ user: userFile(`auth: { api_keys: [{ name: a, hash: ${HASH} }] }\n`) });
  expect(JSON.stringify(effective)).not.toContain(HASH);
  expect(effective.find(({ key }) => key === 'auth.api_keys[0].name')?.value).toBe('a');
});

describe('a reload', () => {
  const file = (keys: string) => userFile(`auth: { provider: none${keys} }\nsecrets: []\n`);
  const reload = async (before: string, latest: string | null) => {
    const bytes = latest === null ? null : { name: 'config.yml', bytes: new TextEncoder().encode(latest) };
    return load({ user: before, over: { latest: bytes } });
  };
  const namesOf = async (before: string, latest: string | null) =>
    (await reload(before, latest)).settings?.auth.api_keys?.map(({ name }) => name);
  const key = (name: string) => `{ name: ${name}, hash: ${hashOf(name)} }`;

  test('takes the keys of the latest file, also if they are gone', async () => {
    const before = file(`, api_keys: [${key('a')}, ${key('b')}]`);
    expect(await namesOf(before, file(`, api_keys: [${key('b')}, ${key('c')}]`))).toEqual(['b', 'c']);
    expect(await namesOf(before, file(''))).toEqual([]);
    expect(await namesOf(before, 'svc: 1\n')).toEqual([]);
    expect(await namesOf(before, null)).toEqual([]);
  });

  test('takes nothing else, and no keys for a server that started without sign-in', async () => {
    const other = file(`, hide_credential_headers: true, api_keys: [${key('a')}]`);
    const { settings } = await reload(file(`, api_keys: [${key('b')}]`), other);
    expect(settings?.auth).toMatchObject({ hide_credential_headers: false, api_keys: [{ name: 'a' }] });
    expect((await reload(file(''), other)).settings?.auth.api_keys).toBeNull();
  });

  test('fails with the place of the fault, and keeps the old keys so', async () => {
    const before = file(`, api_keys: [${key('a')}]`);
    const broken = await reload(before, 'svc: [broken');
    expect([broken.settings, broken.findings[0]?.code]).toEqual([null, 'yaml-syntax']);
    const twice = `\n# moved\n${file(`, api_keys: [${key('x')},\n  ${key('x')}]`)}`;
    const { settings, findings } = await reload(before, twice);
    expect(settings).toBeNull();
    const line = twice.split('\n').findLastIndex((text) => text.includes('name: x')) + 1;
    expect(findings.map((one) => [one.code, one.line])).toContainEqual(['duplicate-name', line]);
  });
});
