import { describe, expect, it } from 'vitest';
import { enforceReadOnly, toRejected } from '../../../src/call/caller-statement.ts';
import { SvcError } from '../../../src/errors.ts';

describe("a caller's own statement", () => {
  it.each([
    ['SELECT 1', 'SELECT 1', 'SELECT'],
    ['-- first\n FROM t ; -- last', 'FROM t', 'SELECT'],
    ["SELECT 'it''s' AS a, \"b\" FROM t", "SELECT 'it''s' AS a, \"b\" FROM t", 'SELECT'],
    ["SELECT E'it\\'s' || e'\\\\' || 'x'", "SELECT E'it\\'s' || e'\\\\' || 'x'", 'SELECT'],
    ["SELECT E'don''t', 'b'", "SELECT E'don''t', 'b'", 'SELECT'],
    ["SELECT '''e'", "SELECT '''e'", 'SELECT'],
    ['SELECT glob FROM t', 'SELECT glob FROM t', 'SELECT'],
    ["SELECT x GLOB ('a*') FROM t", "SELECT x GLOB ('a*') FROM t", 'SELECT'],
    ["SELECT 'read_csv(1)'", "SELECT 'read_csv(1)'", 'SELECT'],
    ["SELECT 'my duckdb_settings'", "SELECT 'my duckdb_settings'", 'SELECT'],
    ['SELECT current_settings(1), my_read_csv(1)', 'SELECT current_settings(1), my_read_csv(1)', 'SELECT'],
    ['DESCRIBE t', 'DESCRIBE t', 'DESCRIBE'],
    [
      'SELECT tax$, v$session, \'a$$b$$\', "c$$" FROM t',
      'SELECT tax$, v$session, \'a$$b$$\', "c$$" FROM t',
      'SELECT',
    ],
    [
      'SELECT export_state, count(*) AS export_state, combine FROM t',
      'SELECT export_state, count(*) AS export_state, combine FROM t',
      'SELECT',
    ],
    ['SELECT variant, x AS variant FROM t', 'SELECT variant, x AS variant FROM t', 'SELECT'],
    ['SELECT variant_price(1)', 'SELECT variant_price(1)', 'SELECT'],
    ["\u00a0SELECT\u3000'\u00a0',\ufeff1 --\u00a0", "SELECT '\u00a0', 1", 'SELECT'],
    [
      'SELECT my_export_state, count(*) my_export_state, sum(x) export_states FROM t',
      'SELECT my_export_state, count(*) my_export_state, sum(x) export_states FROM t',
      'SELECT',
    ],
    [
      "SELECT strftime(d, '%Y'), d.strftime('%Y'), system.strftime FROM t",
      "SELECT strftime(d, '%Y'), d.strftime('%Y'), system.strftime FROM t",
      'SELECT',
    ],
    ['SELECT 1_000, .5, 1e-5, 2. FROM t', 'SELECT 1_000, .5, 1e-5, 2. FROM t', 'SELECT'],
  ])('may be %j', (text, sql, operation) => {
    expect(enforceReadOnly(text)).toEqual({ sql, operation });
  });

  it.each([
    ["SELECT 'open", 'never closed'],
    ['SELECT $id', '$id has no value here: write it into the statement.'],
    ['SELECT ?', 'is a positional parameter'],
    ["SELECT 'duckdb_'\n'settings'", 'A text continues on another line'],
    ["SELECT 'a' -- more\n 'b'", 'A text continues on another line'],
    ["FROM E'duckdb_'\n'settings'", 'A text continues on another line'],
    ["FROM e'duckdb_'\n'settings'", 'A text continues on another line'],
    ['FROM $$duckdb_settings$$', 'between dollar signs'],
    ['FROM $a$duckdb_settings$a$', 'between dollar signs'],
    ['SELECT 1_$$, 2 AS z$$', 'between dollar signs'],
    ['SELECT a$b$, 2 AS z$b$', 'between dollar signs'],
    ['', 'There is no statement'],
    ['-- nothing', 'There is no statement'],
    ['SELECT 1; SELECT 2', 'There is more than one statement'],
    ['HELLO world', 'Its kind is not known'],
    ['DELETE FROM t', 'DELETE does more than read'],
    ['PRAGMA version', 'PRAGMA does more than read'],
    ["SELECT system.main.strftime(d, '%Y') FROM t", 'It names the schema of strftime'],
    ['SELECT "System" . /* x */ "STRFTIME" (d, f) FROM t', 'It names the schema of strftime'],
    [
      'SELECT [1, NULL]::VARIANT',
      'It uses the type VARIANT, with which DuckDB may show parts of its memory: use JSON.',
    ],
  ])('is refused: %j', (text, message) => {
    expect(() => enforceReadOnly(text)).toThrow(
      expect.objectContaining({ code: 'sql_rejected', message: expect.stringContaining(message) }),
    );
  });

  it.each([
    'FROM duckdb_settings()',
    'FROM "DuckDB_Settings"()',
    'FROM duckdb_settings',
    "FROM 'duckdb_settings'",
    String.raw`FROM E'duckdb\x5fsettings'`,
    String.raw`FROM e'duckdb\x5Fsettings'`,
    String.raw`FROM E'duckdb\u005fsettings'`,
    String.raw`FROM E'duckdb\U0000005fsettings'`,
    String.raw`FROM E'duckdb\137settings'`,
    String.raw`FROM E'duckdb\_settings'`,
    'FROM pg_settings',
    'FROM "pragma_database_list"',
    "FROM read_csv('x')",
    "FROM sniff_csv ('x')",
    "FROM glob('*')",
    'SELECT parquet_schema(1)',
    'SELECT sqlite_scan(1)',
    "SELECT getenv('HOME')",
    'SELECT get_user_external_token()',
    'SELECT force_checkpoint()',
    'SELECT from_substrait_json(1)',
    'SELECT finalize(s) FROM t',
    'SELECT s.combine(t) FROM t',
    'SELECT "COMBINE"(s, s) FROM t',
    'SELECT sum(x) EXPORT_STATE FROM t',
    'SELECT sum(x) FILTER (x > 1) /* x */ Export_State AS s FROM t',
    "SELECT create_sort_key(x, 'ASC') FROM t",
    'SELECT variant_normalize([1, NULL])',
    'SELECT "Variant_Extract"([1, NULL], 1)',
    'FROM arrow_scan(a, b, c)',
    'FROM arrow_scan_dumb(a, b, c)',
  ])('reaches not beyond the data: %s', (text) => {
    expect(() => enforceReadOnly(text)).toThrow(
      expect.objectContaining({ code: 'sql_rejected', message: expect.stringContaining('reaches beyond') }),
    );
  });

  it('has escapes that stand for no character', () => {
    expect(() => enforceReadOnly(String.raw`SELECT E'\UFFFFFFFF'`)).not.toThrow();
    expect(() => enforceReadOnly(String.raw`SELECT E'duckdb_\U0010FFFFsettings'`)).not.toThrow();
  });
});

describe("the engine's words about it", () => {
  const failed = new SvcError(
    'sql_failed',
    'Catalog Error: no plan\nDid you mean "plans, plants"?\nLINE 1: x',
  );

  it('are the text of the error, without names of tables that are hidden from the caller', () => {
    expect(toRejected(failed, false)).toMatchObject({
      code: 'sql_rejected',
      message: failed.message,
      cause: failed,
    });
    expect(toRejected(failed, true)).toMatchObject({
      code: 'sql_rejected',
      message: 'Catalog Error: no plan\nLINE 1: x',
    });
  });

  it('are cut if they quote a long text', () => {
    const long = new SvcError('sql_failed', `Invalid Input Error: ${'\n'.repeat(1_000_000)}`);
    const { message } = toRejected(long, false) as SvcError;
    expect(message.length).toBeLessThan(11_000);
    expect(message).toMatch(/^Invalid Input Error: \n+\[CUT: 990021 more characters\]$/);
  });

  it('replace no other error', () => {
    const busy = new SvcError('busy', 'Try again.');
    expect(toRejected(busy, true)).toBe(busy);
    expect(toRejected('x', true)).toBe('x');
  });
});
