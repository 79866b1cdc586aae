import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../deploy/build.ts';
import { TYPES, type TypeCase } from '../engine/types.ts';
import { PLATFORMS, type Running } from './platforms.ts';
import { rawCall } from './raw.ts';

/* Every DuckDB type in both shapes, rows and one object, on the built artefacts of Node and workerd. */

const CASES = TYPES.filter(({ lacks }) => lacks?.['duckdb-wasm'] === undefined);
const PLACES = PLATFORMS.filter(({ name }) => name === 'Node over a socket' || name === 'workerd');

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-types-'));
  await mkdir(join(root, 'tools'));
  await mkdir(join(root, 'data'));
  await writeFile(join(root, 'svc-site.yml'), 'svc: 1\nproject: types\nprofile: default\n');
  await runScript(join(root, 'data/db-default.db'), 'CREATE TABLE nothing (id INTEGER)');
  const files = CASES.flatMap((each, index) => [
    writeFile(join(root, `tools/rows_${index}.yml`), toTool(`rows_${index}`, 'array', each)),
    writeFile(join(root, `tools/object_${index}.yml`), toTool(`object_${index}`, 'object', each)),
  ]);
  await Promise.all(files);
});

afterAll(() => rm(root, { recursive: true }));

/** One column for each value of the case: the rows form has them in one row, too. */
function toTool(name: string, shape: 'array' | 'object', { values }: TypeCase): string {
  const columns = values.map(([sql], index) => `(SELECT ${sql}) AS v${index}`);
  const source = `SELECT\n${columns.join(',\n')}`.replaceAll('\n', '\n      ');
  const returns = shape === 'array' ? '{ type: array, items: { type: object } }' : '{ type: object }';
  return `svc: 1\ntool:\n  name: ${name}\n  description: Values\n  return: ${returns}\n  source:\n    code: |\n      ${source}\n`;
}

describe.each(PLACES)('values of every type on $name', (platform) => {
  let running: Running;

  beforeAll(async () => {
    const out = join(root, 'build', platform.target);
    await buildTarget({ root, public: true, target: platform.target, out });
    running = await platform.start(out);
  });

  afterAll(() => running.close());

  it.each(CASES.map((each, index) => ({ ...each, index })))('$type', async ({ values, index }) => {
    const row = Object.fromEntries(values.map(([, json], column) => [`v${column}`, json]));
    expect(await structured(`rows_${index}`)).toEqual([row]);
    expect(await structured(`object_${index}`)).toEqual(row);
  });

  async function structured(tool: string): Promise<unknown> {
    const { result } = JSON.parse(await rawCall(running.reach, tool));
    return result.structuredContent ?? result.content;
  }
});
