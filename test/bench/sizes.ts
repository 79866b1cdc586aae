import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle } from '../../deploy/bundle.ts';
import type { Built } from './built.ts';
import { inTurn, type Row } from './measure.ts';
import { benchFile, timeProcess } from './program.ts';

const MB = 1_000_000;
const MIB = 1024 * 1024;

/** Sizes of what is uploaded, and how soon the command line answers. */
export async function measureSizes({ root, folderOf }: Built): Promise<readonly Row[]> {
  const zip = (await stat(join(folderOf('aws-lambda'), 'function.zip'))).size;
  const upload = await uploadSize(folderOf('cloudflare-workers'));
  const core = gzipped(await readFile(join(folderOf('cloudflare-workers'), 'index.js')));
  const some = { settings: true, policies: true, prompts: true, audit: true };
  const all = { ...some, config: false, auth: false, telemetry: false };
  const { code } = await bundle('cloudflare-workers/entry', 'workerd', all);
  const whole = gzipped(code);
  const help = await inTurn(
    () => timeProcess([benchFile('../../cli/svc.js'), '--help'], root),
    () => timeProcess(['-e', '0'], root),
    7,
  );
  const size = (what: string, ours: number, unit: string, budget: number | null): Row => ({
    what,
    ours,
    base: null,
    baseName: '',
    unit,
    budget,
  });
  return [
    size('Lambda: function.zip', zip / MB, 'MB', 12),
    size('Worker: upload without the database', upload / MIB, 'MiB', 30),
    size('Worker: code without the engine, gzip', core / 1000, 'kB', 200),
    size('the same, with policies, prompts and settings', whole / 1000, 'kB', null),
    size('svc --help', help.a, 'ms', 150),
    { what: 'svc --help', ours: help.a, base: help.b, baseName: 'node -e 0', unit: 'ms', budget: null },
  ];
}

const gzipped = (code: Uint8Array) => gzipSync(code, { level: 9 }).length;

async function uploadSize(folder: string): Promise<number> {
  const names = await readdir(folder);
  const modules = names.filter((name) => /\.(js|wasm|json)$/.test(name));
  const sizes = await Promise.all(modules.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
