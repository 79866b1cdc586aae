import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ENDPOINT_WORDS } from '../../../src/quality/editor/endpoint-words.ts';
import { EDITOR_FILES, editorSchemaOf } from '../../../src/quality/editor/files.ts';
import { load, SITE } from '../project/memory.ts';
import { mutants } from '../project/mutate.ts';

const validators = Object.fromEntries(
  EDITOR_FILES.map((file) => [file, new Ajv2020({ allowUnionTypes: true }).compile(editorSchemaOf(file))]),
);

function complaintsOf(file: (typeof EDITOR_FILES)[number], value: unknown): readonly string[] {
  const validate = validators[file];
  if (validate === undefined) throw new Error(`no schema of ${file}`);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const yamlFiles = (root: string) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path) && !/(^|\/)(\.|build|broken)/.test(path))
    .map((path) => join(root, path));

/** Beside them lie files of dbt, and user files. */
const OURS = /\/svc-site\.yml$|\/(?:tools|resources|prompts|evals)\//;
const GOOD = ['examples', 'test/matrix/project', 'test/fixtures/projects/full']
  .flatMap(yamlFiles)
  .filter((path) => OURS.test(path));

describe('the schema for editors', () => {
  it.each(GOOD)('accepts %s', (path) => {
    const file = path.endsWith('svc-site.yml') ? 'site' : path.includes('/evals/') ? 'evals' : 'endpoint';
    expect(complaintsOf(file, parse(readFileSync(path, 'utf8')))).toEqual([]);
  });

  it.each([
    ['an unknown key', 'tool: { name: a, sorce: {}, source: { code: SELECT 1 } }'],
    ['no source', 'tool: { name: a }'],
    ['an empty source', 'tool: { name: a, source: {} }'],
    ['two sources', 'tool: { name: a, source: { code: SELECT 1, file: a.sql } }'],
    ['no endpoint', 'svc: 1'],
    [
      'two endpoints',
      'tool: { name: a, source: { code: SELECT 1 } }\nprompt: { name: b, messages: [{ prompt: Hi }] }',
    ],
    ['an empty endpoint', 'tool:'],
    ['a bad name', 'tool: { name: bad name!, source: { code: SELECT 1 } }'],
    ['a text as version', 'svc: "1"\ntool: { name: a, source: { code: SELECT 1 } }'],
    ['an unknown type', 'tool: { name: a, return: { type: int }, source: { code: SELECT 1 } }'],
    [
      'a nested unknown key',
      'tool: { name: a, return: { type: array, items: { type: string, minLenght: 1 } }, source: { code: SELECT 1 } }',
    ],
    [
      'a parameter without a type',
      'tool: { name: a, parameters: [{ name: x }], source: { code: SELECT 1 } }',
    ],
    ['a number for a text', 'tool: { name: a, description: 3, source: { code: SELECT 1 } }'],
    ['a limit out of bounds', 'tool: { name: a, limits: { rows: 0 }, source: { code: SELECT 1 } }'],
    ['no time at all', 'tool: { name: a, limits: { timeout: 0 }, source: { code: SELECT 1 } }'],
    [
      'an unknown action',
      'tool: { name: a, policies: { input: [{ condition: "true", action: block }] }, source: { code: SELECT 1 } }',
    ],
    [
      'a negative length',
      'tool: { name: a, tests: [{ name: t, result_length: -1 }], source: { code: SELECT 1 } }',
    ],
    ['no messages', 'prompt: { name: a, messages: [] }'],
    ['an unknown role', 'prompt: { name: a, messages: [{ prompt: Hi, role: robot }] }'],
    ['a list', '- tool'],
  ])('refuses %s', (_, yaml) => {
    expect(complaintsOf('endpoint', parse(yaml))).not.toEqual([]);
  });

  it.each([
    ['no profile', 'svc: 1\nproject: a'],
    ['an unknown key', 'svc: 1\nproject: a\nprofile: b\nsecrts: []'],
    [
      'an unknown engine',
      'svc: 1\nproject: a\nprofile: b\nprofiles: { b: { database: { engine: sqlite } } }',
    ],
    ['an unknown key of a profile', 'svc: 1\nproject: a\nprofile: b\nprofiles: { b: { databse: {} } }'],
  ])('refuses a site file with %s', (_, yaml) => {
    expect(complaintsOf('site', parse(yaml))).not.toEqual([]);
  });

  it('takes what the loader takes in another form', () => {
    const site =
      'svc: 1\nproject: a\nprofile: b\nsecrets: one\nextensions: [httpfs, { name: h3, repo: community }]\ndbt:';
    expect(complaintsOf('site', parse(site))).toEqual([]);
  });

  it('says no to nothing that the loader takes', async () => {
    const texts = GOOD.filter((path) => path.includes('full/tools')).map((path) =>
      readFileSync(path, 'utf8'),
    );
    let taken = 0;
    for (const { bytes } of mutants(texts, 300, 7)) {
      const { endpoints } = await load({ 'svc-site.yml': SITE, 'tools/one.yml': bytes });
      if (!endpoints[0]?.endpoint) continue;
      taken += 1;
      expect(complaintsOf('endpoint', parse(new TextDecoder().decode(bytes), { merge: true }))).toEqual([]);
    }
    expect(taken).toBeGreaterThan(0);
  });

  it.each(EDITOR_FILES)('describes every key of the %s file', (file) => {
    const silent = propertiesOf(editorSchemaOf(file))
      .filter(([, value]) => !/^\S.*[.…]$/.test(value.description ?? ''))
      .map(([key]) => key);
    expect(silent).toEqual([]);
  });

  it('has words for nothing that is no key', () => {
    const { $defs = {}, properties }: Node = editorSchemaOf('endpoint');
    const parts: Readonly<Record<string, Node>> = { ...$defs, file: properties ? { properties } : {} };
    const extra = Object.entries(ENDPOINT_WORDS).flatMap(([part, words]) =>
      Object.keys(words)
        .filter((key) => parts[part]?.properties?.[key] === undefined)
        .map((key) => `${part}.${key}`),
    );
    expect(extra).toEqual([]);
  });

  it('finds every key of an endpoint file in examples/shop', () => {
    const used = new Set(
      GOOD.filter((path) => path.startsWith('examples/shop/')).flatMap((path) =>
        keysIn(parse(readFileSync(path, 'utf8'))),
      ),
    );
    const known = new Set(propertiesOf(editorSchemaOf('endpoint')).map(([key]) => key));
    expect([...known].filter((key) => !used.has(key))).toEqual([]);
  });
});

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly $defs?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: boolean | Node;
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
}

/** Every property of a schema with its own, at any depth. */
function propertiesOf(node: Node): readonly (readonly [string, Node])[] {
  const { properties = {}, $defs = {}, additionalProperties: rest, anyOf = [], items } = node;
  const inner = [...Object.values(properties), ...Object.values($defs), ...anyOf, ...(items ? [items] : [])];
  const free = typeof rest === 'object' ? [rest] : [];
  return [...Object.entries(properties), ...[...inner, ...free].flatMap(propertiesOf)];
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysIn)];
}
