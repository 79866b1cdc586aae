import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changesOf, readSurface, type Surface } from '../../scripts/bump/surface.ts';

const RECORDED: Surface = JSON.parse(readFileSync('test/engine/surface.json', 'utf8'));

/** `npm run bump` records the lists anew, and reports what came: each new name is tried as a caller of the SQL tools. */
it('DuckDB has the functions, settings, kinds of statements and types that somebody has looked at', async () => {
  expect(changesOf(RECORDED, await readSurface())).toEqual([]);
});
