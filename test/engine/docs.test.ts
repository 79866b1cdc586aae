import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TYPES, UNSENDABLE } from './types.ts';

interface Row {
  readonly type: string;
  readonly example: string;
  readonly becomes: string;
}

/** The rows of the first table: type, form, example, what it becomes. */
function documented(): readonly Row[] {
  const page = readFileSync('docs/reference/types.md', 'utf8').split('\n## ')[0] ?? '';
  return [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| `([^|]+)` \| (?:`([^|]+)` )?\|$/gm)].map(
    ([, type = '', example = '', becomes = '']) => ({ type, example, becomes }),
  );
}

describe('docs/reference/types.md', () => {
  it('lists the types of the contract, in its order', () => {
    const types = [...TYPES, ...UNSENDABLE].map(({ type }) => type);
    expect(documented().map(({ type }) => type)).toEqual(types);
  });

  it('shows only what the contract checks', () => {
    const values = TYPES.flatMap(({ type, values }) =>
      values.map(([example, form]) => ({ type, example, becomes: JSON.stringify(form) })),
    );
    const checked = [...values, ...UNSENDABLE.map(({ type, sql }) => ({ type, example: sql, becomes: '' }))];
    for (const row of documented()) expect(checked).toContainEqual(row);
  });
});
