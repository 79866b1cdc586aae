import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDriver } from '../../../../adapters/duckdb-native/driver/driver.ts';
import { buildTarget } from '../../../../deploy/build.ts';
import type { TargetName } from '../../../../deploy/targets/targets.ts';

const SITE = `svc: 1
project: contract
profile: default
profiles:
  default:
    database: { path: data.duckdb, readonly: true }
`;

/** One endpoint a file is what makes its Python go along; the contract calls functions by themselves. */
const FILES = ['python/calls', 'python/values', 'python/json', 'python/shapes/area'];
const BESIDE = ['tools/beside', 'tools/broken-syntax', 'tools/broken_import', 'tools/dies_early'];

/** Builds the artefact of a target from the contract's project, or a copy of it. */
export async function buildContract(project: string, target: TargetName): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'svc-contract-'));
  await cp(project, root, { recursive: true });
  await writeFile(join(root, 'svc-site.yml'), SITE);
  await mkdir(join(root, 'tools'), { recursive: true });
  for (const [index, file] of [...FILES, ...BESIDE].entries()) {
    const tool = { name: `tool_${index}`, description: 'Test.', source: { file: `../${file}.py` } };
    await writeFile(join(root, `tools/${index}.yml`), JSON.stringify({ svc: 1, tool }));
  }
  const { openInstance } = await loadDriver();
  (await openInstance(join(root, 'data.duckdb'))).closeSync();
  // the project starts processes and imports what nobody has, to show what comes of it
  const options = { experimentalPython: true, incapable: true };
  const { out } = await buildTarget({ root, public: true, target, out: join(root, 'built'), ...options });
  return out;
}
