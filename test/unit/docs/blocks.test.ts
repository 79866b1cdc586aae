import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { editorSchemaOf } from '../../../src/quality/editor/files.ts';
import { lintProject } from '../../../src/quality/lint/lint.ts';
import { load as loadProject, SITE } from '../project/memory.ts';
import { load as loadSettings } from '../settings/fixture.ts';
import { type Block, blocksOf, readPages } from './pages.ts';

const blocks = readPages().flatMap(blocksOf);
const inLanguage = (language: string) =>
  blocks.filter((block) => block.language === language).map((block) => [block.at, block] as const);

/** What a part of a file can be wrong in by itself; whatever it refers to may be elsewhere. */
const OWN = [
  'unknown-key',
  'wrong-type',
  'wrong-value',
  'missing-field',
  'type',
  'svc-version',
  'yaml-syntax',
];

type Finding = { readonly code: string; readonly message: string };

describe('a block of YAML', () => {
  it.each(inLanguage('yaml'))('%s is what svc reads', async (_at, block) => {
    const findings = await findingsOf(block);
    expect(findings.filter(({ code }) => OWN.includes(code)).map(({ message }) => message)).toEqual([]);
  });

  it.each(inLanguage('yaml').filter(([, { text }]) => isEndpointFile(text)))(
    '%s has the texts that `svc build` demands',
    async (_at, { text }) => {
      const { endpoints } = await loadEndpoint(text);
      expect(endpoints).toMatchObject([{ endpoint: { enabled: true } }]);
      const findings = lintProject(endpoints);
      const errors = findings.filter(({ severity }) => severity === 'error');
      expect(errors.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
    },
  );

  it('of an endpoint that is wrong is noticed', async () => {
    const block = { at: 'x', page: 'x', language: 'yaml' };
    for (const text of ['tool: { nam: x }', 'auth: { provdier: github }', 'extensions: [{ nam: x }]'])
      expect(await findingsOf({ ...block, text })).not.toEqual([]);
  });
});

it.each(inLanguage('json'))('the block of JSON %s parses', (_at, { text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

it('blocks of SQL parse', async () => {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(':memory:', {});
  const connection = await instance.connect();
  for (const [at, { text }] of inLanguage('sql')) {
    const { count } = await connection.extractStatements(text).catch((error: Error) => ({ count: error }));
    expect([at, count]).toEqual([at, expect.any(Number)]);
  }
  connection.closeSync();
  instance.closeSync();
});

async function findingsOf(block: Block): Promise<readonly Finding[]> {
  const { text } = block;
  const keys = Object.keys(parseDocument(text, { uniqueKeys: false }).toJS() ?? {});
  // alternatives, one below the other
  if (keys[0] === 'persistence') {
    const each = text.split('\n').map((line) => userFindings(inProfile(`auth:\n  ${line}\n`)));
    return (await Promise.all(each)).flat();
  }
  const wrap = WRAPS.find(([key]) => keys.includes(key))?.[1];
  if (wrap === undefined && keys.length > 0)
    throw new Error(`${block.at}: nobody knows what ${keys} is part of`);
  return wrap?.(text, block) ?? [];
}

type Wrap = (text: string, block: Block) => Promise<readonly Finding[]>;

const indent = (text: string, by: number) => text.replaceAll(/^(?=.)/gm, ' '.repeat(by));
const inProfile = (text: string) =>
  `svc: 1\nprojects:\n  demo:\n    profiles:\n      dev:\n${indent(text, 8)}`;
const inTool = (text: string) => `tool:\n  name: one\n  source: { code: SELECT 1 }\n${indent(text, 2)}`;
const inGithub = (text: string) =>
  inProfile(`auth:\n  github:\n    client_id: c\n    client_secret: s\n${indent(text, 4)}`);
const inVerifier = (text: string) =>
  inProfile(`auth:\n  verifier:\n    issuer: https://id.example\n${indent(text, 4)}`);

/** A key that tells what a block is or is part of, the more telling ones first. */
const WRAPS: readonly (readonly [string, Wrap])[] = [
  ...['tool', 'resource', 'prompt'].map((kind) => [kind, endpointFindings] as const),
  ['suite', suiteFindings],
  ['project', (text) => siteFindings(text)],
  ['projects', userFindings],
  ...['models', 'transport', 'vault', 'onepassword'].map(
    (key) =>
      [key, (text: string) => userFindings(text.includes('svc: 1') ? text : `svc: 1\n${text}`)] as const,
  ),
  ...['auth', 'telemetry'].map((key) => [key, (text: string) => userFindings(inProfile(text))] as const),
  ...['profiles', 'extensions', 'sql_tools', 'dbt', 'paths'].map(
    (key) => [key, (text: string) => siteFindings(SITE + text)] as const,
  ),
  ...['audit', 'database', 'drift'].map(
    (key) =>
      [key, (text: string) => siteFindings(`${SITE}profiles:\n  default:\n${indent(text, 4)}`)] as const,
  ),
  ...['introspection_url'].map((key) => [key, (text: string) => userFindings(inVerifier(text))] as const),
  ...['auth_url', 'claim_mappings'].map(
    (key) => [key, (text: string) => userFindings(inGithub(text))] as const,
  ),
  ...['confirm', 'ask', 'policies', 'parameters', 'return', 'tests', 'limits'].map(
    (key) => [key, (text: string) => endpointFindings(inTool(text))] as const,
  ),
];

async function endpointFindings(text: string): Promise<readonly Finding[]> {
  return (await loadEndpoint(text)).findings;
}

function loadEndpoint(text: string) {
  const { tool, resource } = parse(text);
  const folder = tool ? 'tools' : resource ? 'resources' : 'prompts';
  const file = (tool ?? resource)?.source?.file;
  return loadProject({ [`${folder}/one.yml`]: text, ...(file ? { [join(folder, file)]: '' } : {}) });
}

/** Whether a block is a whole file: it has everything that an endpoint needs. */
function isEndpointFile(text: string): boolean {
  const { tool, resource, prompt } = parseDocument(text, { uniqueKeys: false }).toJS() ?? {};
  return Boolean(tool?.source ?? resource?.source ?? prompt?.messages);
}

const isSuite = new Ajv2020({ allowUnionTypes: true }).compile(editorSchemaOf('evals'));

async function suiteFindings(text: string): Promise<readonly Finding[]> {
  isSuite(parse(text));
  return (isSuite.errors ?? []).map(({ instancePath, message }) => ({
    code: 'wrong-value',
    message: `${instancePath} ${message}`,
  }));
}

async function siteFindings(text: string): Promise<readonly Finding[]> {
  return (await loadProject({ 'svc-site.yml': text })).findings;
}

/** Under the names of the block's own project, with every variable that it refers to. */
async function userFindings(text: string): Promise<readonly Finding[]> {
  const [project = 'demo', own] = Object.entries(parse(text).projects ?? {})[0] ?? [];
  const [profile = 'dev'] = Object.keys((own as { profiles?: object } | undefined)?.profiles ?? {});
  const site = `svc: 1\nproject: ${project}\nprofile: ${profile}\n`;
  const env = Object.fromEntries(Array.from(text.matchAll(/\$\{(\w+)\}/g), ([, name]) => [name, 'value']));
  return (await loadSettings({ site, user: text, env })).findings;
}
