import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../../../adapters/duckdb-native/files/script.ts';
import { openArtefact } from '../../../../adapters/replay/artefact.ts';
import { placeDatabase } from '../../../../deploy/remote-database.ts';
import { TARGET_NAMES, TARGETS, type TargetName } from '../../../../deploy/targets/targets.ts';
import { compileCatalog } from '../../../../src/catalog/compile.ts';
import type { Catalog } from '../../../../src/catalog/model.ts';
import type { Ended } from '../../../../src/quality/replay/record.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { loadTree } from '../../call/project.ts';

const TOOLS = {
  'tools/all.yml':
    'svc: 1\ntool: { name: all, source: { code: "SELECT count(*) AS n, sum(a) AS a FROM t" } }\n',
  // It needs more than 64 MB and less than 256.
  'tools/large.yml':
    'svc: 1\ntool: { name: large, source: { code: "SELECT count(DISTINCT md5(i::VARCHAR)) AS n FROM range(1_000_000) r(i)" } }\n',
  'resources/log.yml':
    'svc: 1\nresource: { uri: "demo://log", source: { code: "INSERT INTO t VALUES (1) RETURNING a" } }\n',
  'prompts/log.yml': 'svc: 1\nprompt: { name: log, messages: [{ type: resource, prompt: "demo://log" }] }\n',
  'prompts/hi.yml': 'svc: 1\nprompt: { name: hi, messages: [{ prompt: Hi. }] }\n',
};

let catalog: Catalog;
beforeAll(async () => {
  catalog = await compileCatalog(await loadTree(TOOLS));
});

interface Layout {
  readonly target: TargetName;
  readonly store?: 's3://bucket/folder' | 'r2' | 'assets';
  readonly memoryMb?: number;
}

/** Writes the parts of an artefact that a replay reads, in the places where `svc build` puts them. */
async function artefact({ target: name, store, memoryMb }: Layout): Promise<string> {
  const folder = temporaryFolder();
  const { target } = await TARGETS[name].load();
  const files = target.files({ project: 'demo', callers: 'everybody', version: '1.0.0' });
  for (const file of [...Object.keys(files), ...Object.keys(target.bundles)]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  const path = join(folder, target.database);
  mkdirSync(dirname(path), { recursive: true });
  // It has several blocks.
  await runScript(path, 'CREATE TABLE t AS SELECT i AS a, md5(i::VARCHAR) AS text FROM range(50_000) r(i)');
  const database = {
    name: 'shop.duckdb',
    bytes: statSync(path).size,
    sha256: '',
    ...(store === undefined ? {} : { remote: { store, key: 'demo/x.duckdb', digests: '', columns: [] } }),
  };
  if (store !== undefined) await placeDatabase(path, folder, store);
  const manifest = { svc: 1, hash: '', access: {}, catalog, database, ...(memoryMb ? { memoryMb } : {}) };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}

async function play(folder: string, name: string): Promise<Ended> {
  const player = await openArtefact(folder, null);
  onTestFinished(() => player.close());
  const ended = {
    status: 'success',
    durationMs: 0,
    decision: null,
    errorCode: null,
    errorText: null,
    rows: 1,
  } as const;
  const call = { id: '1', timestamp: '', kind: 'tool', name, args: {}, userId: null, ended } as const;
  const played = await player.play(call);
  if ('skip' in played) throw new Error(played.skip);
  return played;
}

describe('the database of an artefact is found', { timeout: 60_000 }, () => {
  it.each<Layout>([
    ...TARGET_NAMES.map((target) => ({ target })),
    { target: 'node', store: 's3://bucket/folder' },
    { target: 'aws-lambda', store: 's3://bucket/folder' },
    { target: 'cloudflare-workers', store: 'r2' },
    { target: 'cloudflare-workers', store: 'assets' },
  ])('%j', async (layout) => {
    const value = [{ n: 50_000, a: 1_249_975_000 }];
    expect(await play(await artefact(layout), 'all')).toMatchObject({ status: 'success', value });
  });

  it('or the folder is said to have none', async () => {
    const folder = await artefact({ target: 'node' });
    rmSync(join(folder, 'data.duckdb'));
    await expect(openArtefact(folder, null)).rejects.toThrow(/has no database\. Build it again/);
    rmSync(join(folder, 'manifest.json'));
    await expect(openArtefact(folder, null)).rejects.toMatchObject({ code: 'usage' });
  });
});

it('a prompt that embeds a resource that writes is not played', async () => {
  const player = await openArtefact(await artefact({ target: 'node' }), null);
  onTestFinished(() => player.close());
  const kinds = ['hi', 'log', 'none'].map((name) => player.kindOf('prompt', name));
  expect(kinds).toEqual(['reads', 'writes', 'gone']);
});

describe('the engine has the memory of the platform', { timeout: 60_000 }, () => {
  it.each<readonly [Layout, Ended['status']]>([
    [{ target: 'node' }, 'success'],
    [{ target: 'node', memoryMb: 64 }, 'error'],
    [{ target: 'mcpb' }, 'success'],
    [{ target: 'node', store: 's3://bucket/folder' }, 'success'],
    [{ target: 'aws-lambda', store: 's3://bucket/folder' }, 'success'],
    [{ target: 'aws-lambda' }, 'error'],
    [{ target: 'aws-lambda', memoryMb: 512 }, 'success'],
    // Workers do not have the limit of the profile.
    [{ target: 'cloudflare-workers', memoryMb: 512, store: 'r2' }, 'error'],
  ])('%j: %s', async (layout, status) => {
    const ended = await play(await artefact(layout), 'large');
    expect(ended.status).toBe(status);
    if (status === 'error') expect(ended.errorCode).toBe('memory_exceeded');
  });
});
