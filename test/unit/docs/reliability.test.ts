import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGE = readFileSync('docs/explanation/reliability.md', 'utf8');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

/** The cells of each row of the table under a heading of columns. */
function rowsOf(page: string, firstColumn: string): readonly (readonly string[])[] {
  const [, table = ''] =
    new RegExp(`^\\| ${firstColumn} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  const lines = table.split('\n').filter(Boolean);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

/** The parts of a command that do not exist: an npm script, a file, a variable that no test reads. */
function missingFrom(text: string, sources: string): readonly string[] {
  const scriptsNamed = Array.from(text.matchAll(/npm (?:run )?([a-z][\w:]*)/g), ([, name = '']) => name);
  const paths = Array.from(text.matchAll(/\b(?:test|deploy)\/[\w./-]+/g), ([path]) => path);
  const variables = Array.from(text.matchAll(/\bSVC_[A-Z_]+/g), ([name]) => name);
  return [
    ...scriptsNamed.filter((name) => !(name in scripts)),
    ...paths.filter((path) => !existsSync(path)),
    ...variables.filter((name) => !sources.includes(`process.env.${name}`)),
  ];
}

function readSources(): string {
  const folders = ['test', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const files = folders.filter((path) => /\.(ts|js)$/.test(path) && !path.includes('node_modules'));
  return files.map((path) => readFileSync(path, 'utf8')).join('\n');
}

// Requirements: own.reliability
describe('the page of reliability', () => {
  const rows = rowsOf(PAGE, 'promise');
  const sources = readSources();

  it('has a promise, a way, a number, a result and a command in each row', () => {
    expect(rows.length).toBeGreaterThan(12);
    expect(rows.filter((cells) => cells.length !== 5 || cells.includes(''))).toEqual([]);
    expect(rows.map((cells) => cells[4]).filter((cell) => !/^`(npm|npx) [^`]+`$/.test(cell ?? ''))).toEqual(
      [],
    );
  });

  it.each(rows.map((cells) => [cells[0], cells.join(' ')]))('names parts that exist: %s', (_, row) => {
    expect(missingFrom(row ?? '', sources)).toEqual([]);
  });

  it('finds what is missing', () => {
    expect(missingFrom('`npm run nope`, `npx vitest run test/nope.test.ts`, `SVC_NOPE`', sources)).toEqual([
      'nope',
      'test/nope.test.ts',
      'SVC_NOPE',
    ]);
  });

  it('names stand-ins that exist', () => {
    const standIns = rowsOf(PAGE, 'stand-in for');
    expect(standIns.length).toBeGreaterThan(8);
    expect(standIns.flatMap((cells) => missingFrom(cells.join(' '), sources))).toEqual([]);
  });
});
