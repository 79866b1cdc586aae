import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runScript } from '../../../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../../../deploy/build.ts';
import { TARGET_NAMES, type TargetName } from '../../../../deploy/targets/targets.ts';
import { unallowedComponents } from '../../../licences.ts';

const SITE =
  'svc: 1\nproject: shop\nprofile: default\nprofiles: { default: { database: { path: shop.duckdb } } }\n';
const TOOL = `svc: 1
tool:
  name: sum
  description: Sums up.
  source: { code: SELECT sum(x) AS total FROM sales }
`;
const POLICY = `  policies:
    input:
      - { condition: 'user.role == "x"', action: deny, reason: no }
`;

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly licenses?: readonly unknown[];
  readonly components?: readonly { readonly hashes: readonly { readonly content: string }[] }[];
}
interface Bom {
  readonly serialNumber: string;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-sbom-'));
  await mkdir(join(root, 'tools'));
  await writeFile(join(root, 'svc-site.yml'), SITE);
  await runScript(join(root, 'shop.duckdb'), 'CREATE TABLE sales AS SELECT 1 AS x');
});
afterAll(() => rm(root, { recursive: true }));

async function build(target: TargetName, tool: string) {
  await writeFile(join(root, 'tools/sum.yml'), tool);
  const { out } = await buildTarget({ root, public: true, target });
  const [text, licenses] = await Promise.all(
    ['sbom.cdx.json', 'THIRD-PARTY-LICENSES.txt'].map((file) => readFile(join(out, file), 'utf8')),
  );
  const bom: Bom = JSON.parse(text ?? '');
  return { out, text: text ?? '', licenses: licenses ?? '', bom };
}

describe.each(TARGET_NAMES)('%s', (target) => {
  let built: Awaited<ReturnType<typeof build>>;
  beforeAll(async () => {
    built = await build(target, TOOL + POLICY);
  });

  test('the bill of materials is what the schema of CycloneDX 1.6 asks for', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(built.text)).toBeNull();
  });

  // Requirements: own.licences
  test('each component has an allowed licence', () => {
    expect(unallowedComponents(built.text)).toEqual([]);
    expect(unallowedComponents(built.text.replace('"MIT"', '"AGPL-3.0-only"'))).toHaveLength(1);
  });

  test('the official schema is really asked', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(built.text.replace('"library"', '"book"'))).not.toBeNull();
  });

  test('every reference leads to a component, and each has a licence', () => {
    const { components, dependencies } = built.bom;
    const refs = new Set(components.map((component) => component['bom-ref']));
    expect(refs.size).toBe(components.length);
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
    for (const component of components) expect(component.licenses, component.name).toHaveLength(1);
  });

  test('every package and the engine are named over the text of a licence', () => {
    for (const component of built.bom.components) {
      const id = component['bom-ref'].replace('pkg:npm/', '').replace('%40', '@');
      expect(built.licenses).toContain(id);
    }
    expect(built.licenses).toContain('Stichting DuckDB Foundation');
    expect(built.licenses).not.toContain('contains no licence text');
  });

  test('the engine is there with the hash of its file', async () => {
    const engine = built.bom.components.find(({ name }) => name === 'duckdb-wasm');
    // Vercel's function has a folder of its own.
    const files = await readdir(built.out, { recursive: true });
    const [file = '', ...others] = files.filter((path) => basename(path) === 'duckdb.wasm');
    expect(others).toEqual([]);
    const bytes = await readFile(join(built.out, file));
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
    expect(engine?.components?.[0]?.hashes).toEqual([{ alg: 'SHA-256', content: digest }]);
  });
});

const namesOf = ({ components }: Bom) =>
  components.map((component) => component['bom-ref'].replace(/@[^@]*$/, ''));

test('only what is really bundled is in it', async () => {
  const [bare, ruled] = [
    await build('cloudflare-workers', TOOL),
    await build('cloudflare-workers', TOOL + POLICY),
  ];
  expect(namesOf(bare.bom)).toContain('pkg:npm/hono');
  expect(namesOf(bare.bom)).not.toContain('pkg:npm/%40bufbuild/cel');
  expect(namesOf(ruled.bom)).toContain('pkg:npm/%40bufbuild/cel');
  expect(namesOf(ruled.bom)).not.toContain('pkg:npm/%40hono/node-server');
  expect(bare.licenses).not.toContain('@bufbuild/cel@');
});
