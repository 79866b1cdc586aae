import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../../../../deploy/build.ts';
import { unpackBundle } from '../../../../matrix/bundle.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

const SITE = `svc: 1
project: "../Étoile & Söhne"
profile: default
secrets: [crm]
profiles:
  default:
    database: { path: sales.duckdb, readonly: true }
    audit: { enabled: true }
`;

const TOOL = `svc: 1
tool:
  name: total
  title: Total
  description: The sum of all sales
  return: { type: object }
  source: { code: "SELECT sum(amount)::INTEGER AS total FROM sales" }
`;

const PROMPT = `svc: 1
prompt:
  name: review
  description: A review of one month
  parameters: [{ name: month, type: string, description: The month }]
  messages: [{ role: user, type: text, prompt: "Review {{ month }} and {{month}}." }]
`;

const CONFIG = `svc: 1
vault: { enabled: true, address: "https://vault.example", token_env: SHOP_VAULT }
projects:
  ../Étoile & Söhne:
    profiles:
      default:
        secrets:
          - { name: crm, type: custom, parameters: { token: "\${CRM_TOKEN}", other: "\${CRM_TOKEN}\${CRM_USER}" } }
`;

const POLICY = `  policies: { output: [{ condition: "true", action: filter_fields, fields: [total] }] }
`;

let root: string;
let first: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-mcpb-'));
  for (const folder of ['tools', 'prompts']) await mkdir(join(root, folder));
  await writeFile(join(root, 'svc-site.yml'), SITE);
  await writeFile(join(root, 'tools/total.yml'), TOOL);
  await writeFile(join(root, 'prompts/review.yml'), PROMPT);
  await writeFile(join(root, 'user.yml'), CONFIG);
  await runScript(join(root, 'sales.duckdb'), 'CREATE TABLE sales AS SELECT 7 AS amount');
  first = (await build()).out;
});
afterAll(() => rm(root, { recursive: true }));

const build = (options = {}) => buildTarget({ root, target: 'mcpb', config: 'user.yml', ...options });

async function unpacked(user: Readonly<Record<string, string>>, out = first) {
  const folder = temporaryFolder();
  const command = await unpackBundle(out, folder, user);
  return { folder, command, manifest: JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) };
}

describe('a bundle for desktop clients', () => {
  it('is described as the schema of its clients asks', async () => {
    const { manifest } = await unpacked({});
    const text = await readFile('test/fixtures/files/mcpb-manifest-v0.3.schema.json', 'utf8');
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(JSON.parse(text));
    expect(validate(manifest), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...manifest, tools: 'total' })).toBe(false);
    expect(manifest).toMatchObject({
      name: 'toile-s-hne',
      display_name: '../Étoile & Söhne',
      tools: [{ name: 'total', description: 'The sum of all sales' }],
      prompts: [
        {
          name: 'review',
          arguments: ['month'],
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of the schema
          text: 'Review ${arguments.month} and ${arguments.month}.',
        },
      ],
    });
  });

  it('is what the build says to open', async () => {
    const { out, next } = await build({ out: 'build/named' });
    const file = next.replace(/^open /, '');
    expect([file, existsSync(join(out, file))]).toEqual(['toile-s-hne.mcpb', true]);
  });

  it('asks the user of the client for each variable of the user file, and hides it', async () => {
    const { manifest } = await unpacked({});
    expect(Object.keys(manifest.user_config)).toEqual(['CRM_TOKEN', 'CRM_USER']);
    expect(manifest.user_config.CRM_TOKEN).toMatchObject({ type: 'string', required: true, sensitive: true });
    await writeFile(
      join(root, 'vault.yml'),
      CONFIG.replace(/"[^"]+(?=", other)/, '"vault://secret/crm#token'),
    );
    const { out } = await build({ config: 'vault.yml', out: 'build/vault' });
    const { env } = (await unpacked({ SHOP_VAULT: 'planted' }, out)).command;
    expect(env).toMatchObject({ SHOP_VAULT: 'planted' });
  });

  it('asks for no variable of another project or profile, of a model, or of a server with an address', async () => {
    const other =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
      '{ secrets: [{ name: pay, type: custom, parameters: { key: "${PAYROLL_KEY}", at: "op://a/b/c" } }] }';
    await writeFile(
      join(root, 'several.yml'),
      `${CONFIG}      large: ${other}
  payroll: { profiles: { default: ${other} } }
onepassword: { enabled: true }
models: { small: { type: openai, api_key: "\${MODEL_KEY}" } }
transport: { http: { base_url: "\${PUBLIC_ADDRESS}" } }
`,
    );
    const { out } = await build({ config: 'several.yml', out: 'build/several' });
    const { manifest, folder } = await unpacked({}, out);
    expect(Object.keys(manifest.user_config)).toEqual(['CRM_TOKEN', 'CRM_USER']);
    expect(await readFile(join(folder, 'server/config.yml'), 'utf8')).not.toMatch(/PAYROLL|payroll|large/);
  });

  it('starts from another folder, answers, and keeps its records in the home folder', async () => {
    const { folder, command } = await unpacked({ CRM_TOKEN: 'one', CRM_USER: 'two' });
    expect(command.command).toBe('node');
    const client = new Client({ name: 'desktop', version: '1.0.0' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...command.args],
      env: { ...command.env },
      cwd: '/',
    });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['total']);
    expect(await client.callTool({ name: 'total', arguments: {} })).toMatchObject({
      structuredContent: { total: 7 },
    });
    const records = join(folder, 'home/.svc/state/toile-s-hne/audit/logs-default.jsonl');
    await client.close();
    await vi.waitFor(async () => expect(await readFile(records, 'utf8')).toContain('"total"'), 30_000);
  });

  it('needs a user file if the project has secrets, because clients have none', async () => {
    await expect(build({ config: undefined })).rejects.toThrow(/secrets crm.*--config/);
  });

  it('is refused if the project protects data, until it is public on purpose', async () => {
    await writeFile(join(root, 'tools/total.yml'), TOOL + POLICY);
    onTestFinished(() => writeFile(join(root, 'tools/total.yml'), TOOL));
    await expect(build()).rejects.toThrow(/the policies of total[\s\S]*--public/);
    expect(await build({ public: true, out: 'build/public' })).toMatchObject({
      callers: 'each person who has the artefact',
    });
  });

  it('is not made for a preview if the project protects data, because it could be handed out', async () => {
    const file = join(root, 'package.json');
    const about = { version: '1.0.0', repository: 'github:ada/shop', mcpName: 'io.github.ada/shop' };
    await writeFile(file, JSON.stringify(about));
    onTestFinished(() => rm(file));
    const shared = async (options: object) => {
      const { files } = await build({ local: true, out: 'build/preview', ...options });
      const paths = files.map(({ path }) => path);
      expect(paths).toContain('manifest.json');
      return paths.filter((path) => /\.mcpb$|^server\.json$/.test(path));
    };
    const both = ['server.json', 'toile-s-hne.mcpb'];
    expect(await shared({})).toEqual(both);
    expect(await shared({ own: { signIn: 'sign-in with Keycloak', public: false } })).toEqual([]);
    await writeFile(join(root, 'tools/total.yml'), TOOL + POLICY);
    onTestFinished(() => writeFile(join(root, 'tools/total.yml'), TOOL));
    expect(await shared({})).toEqual([]);
    expect(await shared({ public: true })).toEqual(both);
  });

  it('is refused with sign-in, which it does not have', async () => {
    const auth = 'auth: { mode: verifier, verifier: { issuer: "https://id.example" } }';
    await writeFile(
      join(root, 'auth.yml'),
      CONFIG.replace('      default:', `      default:\n        ${auth}`),
    );
    await expect(build({ config: 'auth.yml', public: true })).rejects.toThrow(
      /signs nobody in.*Remove `auth`/,
    );
    const own = { signIn: 'sign-in with Keycloak', public: false };
    await expect(build({ own })).rejects.toThrow(/sign-in with Keycloak[\s\S]*--public/);
  });

  it('takes its version and its author from the package.json of the project', async () => {
    const person = 'Ada <ada@example.com> (https://ada.example)';
    const repository = { type: 'git', url: 'git+https://github.com/ada/shop.git' };
    const file = join(root, 'package.json');
    await writeFile(file, JSON.stringify({ version: '2.1.0', author: person, license: 'MIT', repository }));
    onTestFinished(() => rm(file));
    const { manifest } = await unpacked({}, (await build({ out: 'build/versioned' })).out);
    expect(manifest).toMatchObject({
      version: '2.1.0',
      author: { name: 'Ada', email: 'ada@example.com', url: 'https://ada.example' },
      license: 'MIT',
      repository: { type: 'git', url: 'https://github.com/ada/shop' },
    });
    expect(existsSync(join(root, 'build/versioned/server.json'))).toBe(false);
    await writeFile(file, '{ "version": ');
    await expect(build()).rejects.toThrow(/package\.json of the project cannot be read/);
  });

  it('has a server.json for the registry if the project has a name there', async () => {
    const file = join(root, 'package.json');
    onTestFinished(() => rm(file));
    const about = {
      version: '1.2.0',
      repository: 'https://github.com/ada/shop',
      mcpName: 'io.github.ada/shop',
    };
    await writeFile(file, JSON.stringify(about));
    const { out } = await build({ out: 'build/listed' });
    const listed = JSON.parse(await readFile(join(out, 'server.json'), 'utf8'));
    const text = await readFile('test/fixtures/files/mcp-server-2025-12-11.schema.json', 'utf8');
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(JSON.parse(text));
    expect(validate(listed), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...listed, name: 'shop' })).toBe(false);
    const bundle = await readFile(join(out, 'toile-s-hne.mcpb'));
    expect(listed.packages).toEqual([
      {
        registryType: 'mcpb',
        identifier: 'https://github.com/ada/shop/releases/download/v1.2.0/toile-s-hne.mcpb',
        fileSha256: createHash('sha256').update(bundle).digest('hex'),
        transport: { type: 'stdio' },
        environmentVariables: ['CRM_TOKEN', 'CRM_USER'].map((name) => ({
          name,
          isRequired: true,
          isSecret: true,
        })),
      },
    ]);
    await writeFile(file, JSON.stringify({ mcpName: about.mcpName, repository: 'bitbucket:ada/shop' }));
    const { warnings } = await build({ out: 'build/unlisted' });
    expect(warnings).toEqual([
      expect.objectContaining({
        severity: 'warning',
        file: 'package.json',
        message: expect.stringMatching(/`mcpName`.*`version` and `repository`.*server\.json/),
      }),
    ]);
    await writeFile(file, JSON.stringify({ ...about, mcpName: 'shop' }));
    await expect(build({ out: 'build/listed' })).rejects.toThrow(/`mcpName` in package\.json is "shop"/);
  });
});
