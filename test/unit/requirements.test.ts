import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { means, readTable, readTags, SENTENCES } from '../requirements/table.ts';

const sections = readTable();
const rows = sections.flatMap((section) => section.rows);
const tags = readTags();

describe('the table of requirements', () => {
  it('has as many rows for each section as the section has', () => {
    const counted = sections.map(({ section, rows: own }) => [section, own.length]);
    expect(Object.fromEntries(counted)).toEqual(
      Object.fromEntries(sections.map(({ section, count }) => [section, count])),
    );
    expect(counted.length).toBeGreaterThan(30);
  });

  it('names each requirement once, in a sentence', () => {
    expect(rows.map(({ id }) => id).filter((id, index, ids) => ids.indexOf(id) !== index)).toEqual([]);
    expect(rows.filter(({ says }) => !/^\S.* .*\.$/.test(says)).map(({ id }) => id)).toEqual([]);
    const keys = rows.flatMap((row) => Object.keys(row));
    expect(new Set(keys)).toEqual(new Set(['id', 'spec', 'says', 'differs']));
  });

  it('covers each sentence of the specification, and no other', () => {
    const covered = new Set(rows.flatMap(({ spec = [] }) => spec));
    expect([...covered].toSorted()).toEqual(SENTENCES);
  });

  it('has a test for every row: a comment above it names the row', () => {
    const ids = tags.flatMap((tag) => tag.ids);
    expect(rows.filter(({ id }) => !ids.some((one) => means(one, id))).map(({ id }) => id)).toEqual([]);
  });

  it('has a row for each name above a test, and a test or a case below it', () => {
    const unknown = tags.flatMap(({ place, ids }) =>
      ids.filter((one) => !rows.some(({ id }) => means(one, id))).map((one) => `${place} ${one}`),
    );
    expect(unknown).toEqual([]);
    const stray = tags.filter(({ code }) => !/^(it|test|describe)\b|^['"`[{]|^\w+: /.test(code));
    expect(stray.map(({ place, code }) => `${place} is above: ${code}`)).toEqual([]);
  });

  it('gives a reason for each row that differs, and the README has both', () => {
    const differing = rows.filter(({ differs }) => differs !== undefined);
    expect(
      differing.filter(({ spec = [], differs = '' }) => spec.length === 0 || !/ .*\.$/.test(differs)),
    ).toEqual([]);
    const listed = section(readFileSync('README.md', 'utf8'), 'Differences from the specification')
      .split('\n')
      .filter((line) => /^\| [^|-]/.test(line));
    expect(listed.slice(1)).toEqual(differing.map(({ says, differs }) => `| ${says} | ${differs} |`));
  });
});

function section(text: string, heading: string): string {
  const [, after = ''] = text.split(`\n## ${heading}\n`);
  return after.split('\n## ')[0] ?? '';
}
