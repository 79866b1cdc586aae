import { describe, expect, it } from 'vitest';
import { brokenCitations, readTable } from '../requirements/table.ts';

const sections = readTable();
const rows = sections.flatMap((section) => section.rows);
const open = rows.flatMap(({ id, open: missing }) => (missing === undefined ? [] : [`${id}: ${missing}`]));

/** Rows without a test. This number may only shrink. */
const MOST_OPEN = 0;

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
  });

  it('has a test for every row that is not open', () => {
    const bare = rows.filter(({ tests = [], open: missing }) => tests.length === 0 && missing === undefined);
    expect(bare.map(({ id }) => id)).toEqual([]);
  });

  it('cites tests that there are', () => {
    expect(rows.flatMap(brokenCitations)).toEqual([]);
  });

  it('has no more open rows than it had', () => {
    if (open.length > 0) console.log(`${open.length} of ${rows.length} rows are open:\n${open.join('\n')}`);
    expect(open.length).toBeLessThanOrEqual(MOST_OPEN);
  });
});
