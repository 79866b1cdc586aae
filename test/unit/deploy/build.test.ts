import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../../deploy/build.ts';
import { TARGET_NAMES } from '../../../deploy/targets/targets.ts';
import { parseManifest } from '../../../src/catalog/manifest.ts';

const SITE = `svc: 1
project: shop
profile: default
profiles:
  default:
    database:
      path: shop.duckdb
  large:
    database:
      path: large.duckdb
`;

const tool = (name: string, sql: string) => `svc: 1
tool:
  name: ${name}
  description: A tool.
  source:
    code: ${sql}
`;

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-build-'));
  await mkdir(join(root, 'tools'));
  await writeFile(join(root, 'svc-site.yml'), SITE);
  await writeFile(join(root, 'tools/sum.yml'), tool('sum', 'SELECT sum(x) AS total FROM sales'));
  await runScript(join(root, 'shop.duckdb'), 'CREATE TABLE sales AS SELECT 1 AS x');
});
afterEach(() => rm(root, { recursive: true }));

const build = () => buildTarget({ root, target: 'node' });

test('the folder lists every file with its size, and its manifest has the compiled tools', async () => {
  const { out, files, hash } = await build();
  expect(out).toBe(join(root, 'build/node'));
  expect(files.map(({ path }) => path)).toEqual([
    '.dockerignore',
    'Dockerfile',
    'LICENSE.duckdb.txt',
    'README.md',
    'THIRD-PARTY-LICENSES.txt',
    'data.duckdb',
    'duckdb.wasm',
    'engine-worker.js',
    'index.js',
    'manifest.json',
    'package.json',
    'sbom.cdx.json',
    'shop.service',
    'trampolines.wasm',
  ]);
  const manifest = parseManifest(await readFile(join(out, 'manifest.json'), 'utf8'));
  expect(manifest.hash).toBe(hash);
  expect(Object.keys(manifest.catalog.tools)).toEqual(['sum']);
});

test('the hash follows the tools and the data', async () => {
  const { hash } = await build();
  expect((await build()).hash).toBe(hash);
  await writeFile(join(root, 'tools/sum.yml'), tool('sum', 'SELECT max(x) AS total FROM sales'));
  const changed = (await build()).hash;
  expect(changed).not.toBe(hash);
  await runScript(join(root, 'shop.duckdb'), 'INSERT INTO sales VALUES (2)');
  expect((await build()).hash).not.toBe(changed);
});

test('the profile chooses the database', async () => {
  await cp(join(root, 'shop.duckdb'), join(root, 'large.duckdb'));
  await runScript(join(root, 'large.duckdb'), 'INSERT INTO sales SELECT range FROM range(100000)');
  const small = await build();
  const large = await buildTarget({ root, target: 'node', profile: 'large', out: join(root, 'build/large') });
  expect(large.hash).not.toBe(small.hash);
});

const user = (token: string) => `svc: 1
projects:
  shop:
    profiles:
      default:
        secrets:
          - name: crm
            type: custom
            parameters:
              token: ${token}
`;

// biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
const REFERENCE = '"${CRM_TOKEN}"';

test('a user file with references goes into the artefact only when it is asked for', async () => {
  await writeFile(join(root, 'config.yml'), user(REFERENCE));
  const plain = await build();
  expect(plain.files.map(({ path }) => path)).not.toContain('config.yml');
  for (const target of TARGET_NAMES) {
    const built = await buildTarget({ root, public: true, target, config: 'config.yml' });
    expect(parse(await readFile(join(built.out, 'config.yml'), 'utf8'))).toEqual(parse(user(REFERENCE)));
    expect(built.hash).not.toBe(plain.hash);
  }
  const zip = unzipSync(await readFile(join(root, 'build/aws-lambda/function.zip')));
  expect(Object.keys(zip)).toContain('config.yml');
  expect(await readFile(join(root, 'build/node/Dockerfile'), 'utf8')).toMatch(/^COPY .*config\.yml/m);
  const toml = await readFile(join(root, 'build/cloudflare-workers/wrangler.toml'), 'utf8');
  expect(toml).toContain('globs = ["manifest.json", "config.yml"]');
});

const withProvider = (auth: string) => `svc: 1
projects:
  shop:
    profiles:
      default:
        auth: ${auth}
`;

test('what signs people in goes into an artefact whose user file asks for it, and into no other', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
  const provider = '{ provider: github, github: { client_id: x, client_secret: "${SECRET}" } }';
  const none = '{ provider: none, authorization: { required_scopes: [] } }';
  const verifier = '{ mode: verifier, verifier: { issuer: https://id.example } }';
  const codeOf = async (auth: string | null, target: (typeof TARGET_NAMES)[number]) => {
    if (auth !== null) await writeFile(join(root, 'config.yml'), withProvider(auth));
    const built = await buildTarget({
      root,
      public: true,
      target,
      ...(auth === null ? {} : { config: 'config.yml' }),
    });
    return readFile(join(built.out, 'index.js'), 'utf8');
  };
  const marks = ['dcr_', 'invalid_client_metadata'];
  for (const target of ['node', 'cloudflare-workers'] as const) {
    for (const auth of [null, none]) {
      const code = await codeOf(auth, target);
      for (const mark of marks) expect([target, auth, code.includes(mark)]).toEqual([target, auth, false]);
    }
    for (const auth of [provider, verifier]) {
      const code = await codeOf(auth, target);
      for (const mark of marks) expect([target, auth, code.includes(mark)]).toEqual([target, auth, true]);
    }
  }
});

test('the Node artefact of a project that signs people in does not start without keys', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
  const auth = '{ provider: github, github: { client_id: x, client_secret: "${GITHUB_SECRET}" } }';
  await writeFile(join(root, 'config.yml'), withProvider(auth));
  const { out } = await buildTarget({ root, target: 'node', config: 'config.yml' });
  const env = { ...process.env, GITHUB_SECRET: 'planted', PORT: '0', SVC_AUTH_KEYS: '' };
  const { status, stderr } = spawnSync(process.execPath, [join(out, 'index.js')], { env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('svc auth keygen');
  expect(stderr).not.toContain('planted');
});

test('a user file with a secret in it is refused with its line and a fix, and the secret is not shown', async () => {
  await writeFile(join(root, 'config.yml'), user('planted-4711'));
  const failed = await buildTarget({ root, target: 'node', config: 'config.yml' }).catch((error) => error);
  expect(failed).toMatchObject({ code: 'project_invalid' });
  expect(failed.message).toMatch(/^config\.yml:10:\d+: .*token.* Replace it with `\$\{NAME\}`/);
  expect(failed.message).not.toContain('planted');
  expect(await readdir(join(root, 'build')).catch(() => [])).toEqual([]);
});

test('comments of the user file stay at home, because they may hold a secret that a reference has replaced', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
  const text = `${user('${TOKEN}')}# token: planted-4711\n`;
  await writeFile(join(root, 'config.yml'), text);
  const { out } = await buildTarget({ root, public: true, target: 'node', config: 'config.yml' });
  const bundled = await readFile(join(out, 'config.yml'), 'utf8');
  expect(bundled).not.toContain('planted-4711');
  expect(parse(bundled)).toEqual(parse(text));
});

const SEVERAL = `svc: 1
logging: { level: DEBUG }
projects:
  payroll: &payroll
    profiles:
      default:
        secrets: [{ name: hr, type: custom, parameters: { host: payroll.internal } }]
  shop:
    profiles:
      default:
        secrets: [{ name: crm, type: custom, parameters: { host: "08", token: "\${CRM_TOKEN}" } }]
      large:
        secrets: [{ name: crm, type: custom, parameters: { host: large.internal } }]
  copy: *payroll
`;

test('only the project goes into an artefact, and into that of a holder only its profile', async () => {
  await writeFile(join(root, 'config.yml'), SEVERAL);
  const { svc, logging, projects } = parse(SEVERAL);
  const { default: own, large } = projects.shop.profiles;
  for (const target of ['node', 'mcpb'] as const) {
    const { out } = await buildTarget({ root, public: true, target, config: 'config.yml' });
    // SVC_PROFILE may select another profile where a server starts; the holder of a bundle selects none
    const profiles = target === 'mcpb' ? { default: own } : { default: own, large };
    const bundled = parse(await readFile(join(out, 'config.yml'), 'utf8'));
    expect([target, bundled]).toEqual([target, { svc, logging, projects: { shop: { profiles } } }]);
  }
});

const MODELS = `svc: 1
transport: { http: { base_url: "\${PUBLIC_ADDRESS}" } }
models:
  default: small
  models: { large: { type: claude, model: l-1, api_key: "\${LARGE_KEY}" } }
  small: { type: openai, api_key: "vault://llm/key#value", base_url: "\${SMALL_ADDRESS}", timeout: 5, max_retries: 1 }
projects: { shop: { profiles: { default: {} } } }
`;

test('an artefact needs no key of a model, and a bundle no address of a server', async () => {
  await writeFile(join(root, 'config.yml'), MODELS);
  const { models: _, transport, ...rest } = parse(MODELS);
  const models = {
    default: 'small',
    models: { large: { type: 'claude' } },
    small: { type: 'openai', timeout: 5, max_retries: 1 },
  };
  for (const [target, more] of [
    ['node', { transport }],
    ['mcpb', {}],
  ] as const) {
    const { out } = await buildTarget({ root, public: true, target, config: 'config.yml' });
    const bundled = parse(await readFile(join(out, 'config.yml'), 'utf8'));
    expect([target, bundled]).toEqual([target, { ...rest, ...more, models }]);
  }
});

test.each([
  ['project', 'shop:', 'store:', 'There is no project shop'],
  [
    'profile',
    'default:\n        secrets: [{ name: crm',
    'small:\n        secrets: [{ name: crm',
    'There is no profile default',
  ],
])(
  'a user file without the %s is refused, because the artefact would not start',
  async (_, own, other, message) => {
    await writeFile(join(root, 'config.yml'), SEVERAL.replace(own, other));
    await expect(
      buildTarget({ root, public: true, target: 'node', config: 'config.yml' }),
    ).rejects.toMatchObject({
      code: 'project_invalid',
      message: expect.stringContaining(message),
    });
  },
);

test('a user file that is not there is refused by name', async () => {
  const failed = buildTarget({ root, target: 'node', config: 'gone.yml' });
  await expect(failed).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('gone.yml') });
});

test('the manifest names the profile and the secrets of the site', async () => {
  await writeFile(join(root, 'svc-site.yml'), `${SITE}secrets: [crm]\n`);
  const { out } = await build();
  const manifest = parseManifest(await readFile(join(out, 'manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ profile: 'default', secrets: ['crm'] });
});

interface Refused {
  readonly why: string;
  readonly files: Readonly<Record<string, string>>;
  readonly code: string;
  readonly says: RegExp;
}

const CONDITIONS = 'google.protobuf';
const TEMPLATES = 'a parameter of a macro must be a name';

async function codeWith(files: Record<string, string>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return readFile(join((await build()).out, 'index.js'), 'utf8');
}

test('the code has the languages of policies and prompts where the project uses them only', async () => {
  const bare = await codeWith({});
  const ruled = tool('count', 'SELECT count(*) AS n FROM sales').concat(
    '  policies:\n    input:\n      - { condition: \'user.role == "x"\', action: deny, reason: no }\n',
  );
  const prompt = `svc: 1
prompt:
  name: hi
  description: Greets.
  messages:
    - { role: user, type: text, prompt: Hi }
`;
  const whole = await codeWith({ 'tools/count.yml': ruled, 'prompts/hi.yml': prompt });
  expect([CONDITIONS, TEMPLATES].map((mark) => [bare.includes(mark), whole.includes(mark)])).toEqual([
    [false, true],
    [false, true],
  ]);
  expect(bare.length).toBeLessThan(whole.length * 0.75);
});

const REFUSED: readonly Refused[] = [
  {
    why: 'a file with an error',
    files: { 'tools/bad.yml': 'svc: 1\ntool:\n  name: bad\n  sauce: x\n' },
    code: 'project_invalid',
    says: /tools\/bad\.yml:\d+:\d+: /,
  },
  {
    why: 'a tool that writes',
    files: { 'tools/add.yml': tool('add', 'INSERT INTO sales VALUES (3)') },
    code: 'target_unsupported',
    says: /read-only: add\b.*svc serve/,
  },
  {
    why: 'SQL that the engine of the artefact refuses',
    files: { 'tools/lost.yml': tool('lost', 'SELECT * FROM nowhere') },
    code: 'project_invalid',
    says: /lost: .*nowhere/s,
  },
  {
    why: 'a database that is not there',
    files: { 'svc-site.yml': SITE.replace('shop.duckdb', 'gone.duckdb') },
    code: 'database_unavailable',
    says: /no database file at .*gone\.duckdb.*database\.path/s,
  },
];

test.each(REFUSED)('$why is refused, and nothing is left behind', async ({ files, code, says }) => {
  for (const [path, content] of Object.entries(files)) await writeFile(join(root, path), content);
  await expect(build()).rejects.toMatchObject({ code });
  await expect(build()).rejects.toThrow(says);
  expect(await readdir(join(root, 'build')).catch(() => [])).toEqual([]);
});
