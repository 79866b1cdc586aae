import { describe, expect, it } from 'vitest';
import { columnNames } from '../../../views/rows.ts';

describe('the columns of rows', () => {
  // Requirements: view.kinds
  it('have the order that the server gives, because objects put names of digits first', () => {
    const rows = [{ region: 'north', 2024: 10, 2023: 12 }];
    expect(columnNames(rows)).toEqual(['2023', '2024', 'region']);
    expect(columnNames(rows, ['region', '2024', '2023'])).toEqual(['region', '2024', '2023']);
  });

  it('include one that only a late row has', () => {
    const rows = [...Array.from({ length: 1_000 }, () => ({ id: 1 })), { id: 2, late: true }];
    expect(columnNames(rows)).toEqual(['id', 'late']);
  });
});
