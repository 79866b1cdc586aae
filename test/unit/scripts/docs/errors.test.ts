import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../../../../scripts/docs/errors/findings.ts';
import { ERRORS_PAGE, toErrorsPage } from '../../../../scripts/docs/errors.ts';
import { ERRORS } from '../../../../src/errors.ts';

/** Where findings are made; those of `svc doctor` are not findings of a project. */
const FOLDERS = ['src/project', 'src/catalog', 'src/policy', 'src/settings', 'src/quality', 'cli', 'deploy'];
const ELSEWHERE = /^cli\/(?:doctor\/|commands\/doctor\.ts$)|^src\/quality\/drift\//;

/** How a code is written down: as a property, or as the first text that a maker of findings is given. */
const WRITTEN =
  /(?:\bcode: |\bcode = |\bsays\(\s*|\b(?:problem|refuse|finding)\(\s*(?:[\w.]+,\s*|'(?:error|warning|info)',\s*)?)'([a-z]+(?:-[a-z]+)*)'/g;

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !ELSEWHERE.test(`${folder}/${file}`))
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
);
const written = sources.flatMap((text) => Array.from(text.matchAll(WRITTEN), ([, code = '']) => code));
/** Codes that are put together. */
const MADE = [
  'project-unknown',
  'profile-unknown',
  ...['breaking', 'widening', 'wording'].map((kind) => `lock-${kind}`),
  ...Object.keys(ERRORS).map((code) => code.replaceAll('_', '-')),
];
const known = Object.values(FINDINGS).flatMap((section) => Object.keys(section));

describe('docs/reference/errors.md', () => {
  it('is as `npx node scripts/docs/write.ts` writes it', () => {
    expect(readFileSync(ERRORS_PAGE, 'utf8')).toBe(toErrorsPage());
  });

  it('has every code of a finding', () => {
    const codes = written.filter((code) => !['error', 'warning', 'info'].includes(code));
    const missing = codes.filter((code) => !known.includes(code) && !Object.hasOwn(ERRORS, code));
    expect([...new Set(missing)]).toEqual([]);
    expect(new Set(written).size).toBeGreaterThan(60);
  });

  it('has no code that nothing finds, and none twice', () => {
    const all = sources.join('\n');
    expect(known.filter((code) => !all.includes(`'${code}'`) && !MADE.includes(code))).toEqual([]);
    expect(known.filter((code, index) => known.indexOf(code) !== index)).toEqual([]);
  });
});
