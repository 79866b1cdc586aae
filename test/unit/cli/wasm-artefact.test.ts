import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, svc } from './svc.ts';

/** Notes each Node process that a command starts. */
const NOTE = `import { appendFileSync } from 'node:fs';
appendFileSync(process.env.STARTED, process.argv[1] + '\\n');`;

it('a command starts no second process where the engine is built', async () => {
  const beside = folder();
  await svc(['init', 'demo', '--bootstrap', '--yes'], beside);
  const root = join(beside, 'demo');
  const hook = join(beside, 'note.mjs');
  const started = join(beside, 'started');
  writeFileSync(hook, NOTE);
  // the first one builds the engine if a source is newer
  await svc(['validate'], root);
  const { code } = await svc(['validate'], root, { NODE_OPTIONS: `--import ${hook}`, STARTED: started });
  expect(code).toBe(0);
  const programs = readFileSync(started, 'utf8').trim().split('\n');
  expect(new Set(programs.map((path) => basename(path)))).toEqual(new Set(['svc.js', 'engine-worker.js']));
});
