import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import { columnTypesOf, enforceScan, estimateScans } from '../../../src/sql/estimate.ts';

const scanOf = (facts: JsonObject): JsonObject => ({
  name: 'SEQ_SCAN',
  children: [],
  extra_info: { Table: 'a.main.t', ...facts },
});
const above = (...children: readonly JsonObject[]): JsonValue => [
  { name: 'HASH_JOIN', children, extra_info: { 'Estimated Cardinality': '9' } },
];

describe('the estimate of a plan', () => {
  it('adds the rows of its scans, not those of other operators', () => {
    const plan = above(scanOf({ 'Estimated Cardinality': '40' }), scanOf({ 'Estimated Cardinality': '2' }));
    expect(estimateScans(plan, null)).toEqual({ rows: 42, bytes: null });
  });

  it('counts a table once whose rows are fetched after a LIMIT', () => {
    const scan = scanOf({ 'Estimated Cardinality': '40' });
    const fetch = (other: JsonObject): JsonValue => ({
      name: 'HASH_JOIN',
      children: [scan, { name: 'STREAMING_LIMIT', children: [other], extra_info: {} }],
      extra_info: { Conditions: 'rowid = rowid' },
    });
    expect(estimateScans(fetch(scan), null).rows).toBe(40);
    expect(estimateScans(fetch(scanOf({ Table: 'a.main.u', 'Estimated Cardinality': '2' })), null).rows).toBe(
      42,
    );
  });

  it('counts what is known, and is unknown if nothing is', () => {
    const plan = above(scanOf({ 'Estimated Cardinality': '40' }), scanOf({}));
    expect(estimateScans(plan, null).rows).toBe(40);
    expect(estimateScans([scanOf({})], null)).toEqual({ rows: null, bytes: null });
  });

  it('leaves out what DuckDB makes up for another database', () => {
    const named = (name: string, rows: string) => ({ ...scanOf({ 'Estimated Cardinality': rows }), name });
    const rowsOf = (...scans: readonly JsonObject[]) => estimateScans(above(...scans), null).rows;
    expect(rowsOf(named('POSTGRES_SCAN', '0'))).toBeNull();
    expect(rowsOf(named('POSTGRES_QUERY', '1'))).toBeNull();
    expect(rowsOf(named('POSTGRES_SCAN', '0'), named('SEQ_SCAN', '40'))).toBe(40);
    expect(rowsOf(named('POSTGRES_SCAN', '7'))).toBe(7);
    expect(rowsOf(named('SEQ_SCAN', '0'))).toBe(0);
  });

  it('is nothing for a plan without scans', () => {
    expect(estimateScans([{ name: 'DUMMY_SCAN', children: [], extra_info: {} }], new Map())).toEqual({
      rows: 0,
      bytes: 0,
    });
  });

  it('counts the bytes of the columns that are read, for a filter too', () => {
    const types = new Map([
      ['id', 'BIGINT'],
      ['idle', 'BOOLEAN'],
      ['name', 'VARCHAR'],
    ]);
    const facts = { Projections: 'name', Filters: ['idle=true'], 'Estimated Cardinality': '10' };
    expect(estimateScans([scanOf(facts)], types)).toEqual({ rows: 10, bytes: 170 });
    const unknown = { Projections: ['other'], 'Estimated Cardinality': '10' };
    expect(estimateScans([scanOf(unknown)], types)).toEqual({ rows: 10, bytes: null });
  });

  it('takes the wider type of columns with one name', () => {
    const get = (id: string) => ({ type: 'LOGICAL_GET', names: ['x'], returned_types: [{ id }] });
    const plan = { error: false, plans: [{ children: [get('INTEGER'), get('BIGINT'), get('DATE')] }] };
    expect(columnTypesOf(plan)).toEqual(new Map([['x', 'BIGINT']]));
    expect(columnTypesOf({ error: true, error_message: 'not implemented' })).toBeNull();
  });
});

describe('a limit on scans', () => {
  it('refuses what is beyond it, in rows or in bytes', () => {
    expect(() => enforceScan({ rows: 11, bytes: null }, { rows: 10 })).toThrow(
      'The statement would scan about 11 rows, and the limit is 10 (`limits.scan_rows`). Filter more; the author of the endpoint can raise the limit.',
    );
    expect(() => enforceScan({ rows: 11, bytes: 500 }, { rows: 20, bytes: 100 })).toThrow(
      /about 500 bytes, and the limit is 100 \(`limits\.scan_bytes`\)\. Filter more, or read fewer columns/,
    );
  });

  it.each([
    { rows: 10, bytes: 100 },
    { rows: null, bytes: null },
  ])('lets %o through', (estimate) => {
    expect(() => enforceScan(estimate, { rows: 10, bytes: 100 })).not.toThrow();
  });
});
