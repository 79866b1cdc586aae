import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  classify,
  enforceVerb,
  misspeltVerb,
  type StatementClass,
  statementsOf,
} from '../../../src/sql/statement.ts';
import { cpuMs } from '../cpu.ts';
import { createRandom } from '../types/random.ts';
import { openDuckDb } from './duckdb.ts';

let duckdb: DuckDBConnection;
beforeAll(async () => {
  duckdb = await openDuckDb();
  await duckdb.run("CREATE TABLE t AS SELECT 1 AS a, 'x' AS b");
});

describe('statements', () => {
  it('are split at top-level semicolons and trimmed', () => {
    expect(statementsOf(" -- first; \n SELECT ';' ; /* ; */ ;\n\n SELECT $$;$$ -- end\n;")).toEqual([
      { text: "SELECT ';'", offset: 13 },
      { text: 'SELECT $$;$$', offset: 38 },
    ]);
    expect(statementsOf(' ; -- only\n /* comments */ ;')).toEqual([]);
    expect(statementsOf('SELECT 1 /* inside */ + 1')).toEqual([
      { text: 'SELECT 1 /* inside */ + 1', offset: 0 },
    ]);
  });
});

const READS: readonly (readonly [string, string])[] = [
  ['SELECT 1', 'SELECT'],
  ['select a from t', 'SELECT'],
  ['FROM t', 'SELECT'],
  ['FROM t SELECT a', 'SELECT'],
  ['TABLE t', 'SELECT'],
  ['VALUES (1), (2)', 'VALUES'],
  ['(SELECT 1)', 'SELECT'],
  ['((SELECT 1) UNION ALL (SELECT 2))', 'SELECT'],
  ['WITH x AS (SELECT 1) SELECT * FROM x', 'SELECT'],
  ['WITH x AS (SELECT 1) FROM x', 'SELECT'],
  [
    'WITH x(a, b) AS NOT MATERIALIZED (SELECT 1, 2), y AS MATERIALIZED (SELECT 3) (SELECT * FROM x, y)',
    'SELECT',
  ],
  ['WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r', 'SELECT'],
  ['WITH "insert" AS (SELECT \')\') SELECT * FROM "insert"', 'SELECT'],
  ['WITH update AS (SELECT 1) SELECT * FROM update', 'SELECT'],
  ['/* INSERT */ SELECT 1 -- DELETE', 'SELECT'],
  ['\ufeffSELECT\u00a01', 'SELECT'],
  ['DESCRIBE t', 'DESCRIBE'],
  ['DESC t', 'DESCRIBE'],
  ['SHOW TABLES', 'SHOW'],
  ['SUMMARIZE t', 'SUMMARIZE'],
  ['PIVOT t ON b USING sum(a)', 'PIVOT'],
  ["PIVOT t ON b IN ('x') USING sum(a)", 'PIVOT'],
  ['UNPIVOT (SELECT 1 AS p, 2 AS q) ON p, q', 'UNPIVOT'],
  ['WITH x AS (SELECT 1 AS p, 2 AS q) PIVOT x ON p USING sum(q)', 'PIVOT'],
];

const OTHERS: readonly (readonly [string, string, StatementClass])[] = [
  ['INSERT INTO t VALUES (1)', 'INSERT', 'write'],
  ['WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x', 'INSERT', 'write'],
  ['WITH update AS (SELECT 1) DELETE FROM t', 'DELETE', 'write'],
  ['WITH RECURSIVE AS (SELECT 1) UPDATE t SET a = 1', 'UPDATE', 'write'],
  ['UPDATE t SET a = 1 RETURNING *', 'UPDATE', 'write'],
  ['delete from t', 'DELETE', 'write'],
  ['MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE', 'MERGE', 'write'],
  ['TRUNCATE t', 'TRUNCATE', 'write'],
  ['WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x', 'SELECT', 'write'],
  ['CREATE TABLE x AS SELECT 1', 'CREATE', 'ddl'],
  ['CREATE OR REPLACE MACRO f(x) AS x', 'CREATE', 'ddl'],
  ['DROP TABLE t', 'DROP', 'ddl'],
  ['ALTER TABLE t ADD COLUMN c INT', 'ALTER', 'ddl'],
  ["COMMENT ON TABLE t IS 'x'", 'COMMENT', 'ddl'],
  ["COPY t TO 'x.csv'", 'COPY', 'other'],
  ["ATTACH 'x.db'", 'ATTACH', 'other'],
  ['SET threads = 1', 'SET', 'other'],
  ['RESET threads', 'RESET', 'other'],
  ['PRAGMA table_info(t)', 'PRAGMA', 'other'],
  ['INSTALL httpfs', 'INSTALL', 'other'],
  ['LOAD httpfs', 'LOAD', 'other'],
  ['CALL pragma_version()', 'CALL', 'other'],
  ['EXPLAIN ANALYZE DELETE FROM t', 'EXPLAIN', 'other'],
  ['EXPLAIN SELECT 1', 'EXPLAIN', 'other'],
  ['BEGIN', 'BEGIN', 'other'],
  ['CHECKPOINT', 'CHECKPOINT', 'other'],
  ['ANALYSE', 'ANALYZE', 'other'],
  ["EXPORT DATABASE 'x'", 'EXPORT', 'other'],
  ['USE memory', 'USE', 'other'],
  ['VACUUM', 'VACUUM', 'other'],
  ['PREPARE q AS SELECT 1', 'PREPARE', 'other'],
  ['EXECUTE q', 'EXECUTE', 'other'],
  ['hunter2 is my password', 'OTHER', 'other'],
  ['"SELECT" 1', 'OTHER', 'other'],
  ['', 'EMPTY', 'other'],
  ['-- nothing', 'EMPTY', 'other'],
  ['WITH', 'OTHER', 'other'],
  ['WITH x AS (SELECT 1', 'OTHER', 'other'],
  ['SELECT 1; DROP TABLE t; SELECT 2', 'SELECT', 'ddl'],
  ['SELECT 1; INSERT INTO t VALUES (1)', 'INSERT', 'write'],
  ['SET x = 1; SELECT 1', 'SELECT', 'other'],
];

describe('classes', () => {
  // Requirements: attribute.db.operation
  it.each(READS)('%s reads', (sql, operation) => {
    expect(classify(sql)).toEqual({ mode: 'read', operation, class: 'read' });
  });

  it.each(READS)('%s can run inside a query, which cannot write', async (sql) => {
    const [statement] = statementsOf(sql);
    // DuckDB's parser rejects a statement that cannot run there.
    const result = await duckdb.run(`SELECT * FROM (${statement?.text}\n) AS q LIMIT 1`);
    expect(result.columnCount).toBeGreaterThan(0);
  });

  // Requirements: attribute.db.operation
  it.each(OTHERS)('%s is %s, %s', (sql, operation, name) => {
    expect(classify(sql)).toEqual({ mode: 'write', operation, class: name });
  });
});

describe('a misspelt verb', () => {
  it('is a word that DuckDB refuses at the start of a statement', async () => {
    const keywords = await duckdb.runAndReadAll('SELECT keyword_name FROM duckdb_keywords()');
    const misspelt = keywords
      .getRows()
      .map(([word]) => String(word))
      .filter((word) => misspeltVerb(word) !== null);
    expect(misspelt).toContain('dec');
    for (const word of misspelt) {
      for (const rest of ['', ' t', ' 1', ' (SELECT 1)']) {
        await expect(duckdb.extractStatements(word + rest), word + rest).rejects.toThrow(/Parser Error/);
      }
    }
  });

  it.each([
    ['SELECT 1', null],
    ['analyse', null],
    ['hunter2 is my password', null],
    ['"SELEC" 1', null],
    ['', null],
    ['-- first\n Slect 1', { word: 'Slect', offset: 10, meant: 'SELECT' }],
    ['WITH x AS (SELECT 1) (UPDAT t SET a = 1)', { word: 'UPDAT', offset: 22, meant: 'UPDATE' }],
  ])('in %j', (sql, verb) => {
    expect(misspeltVerb(sql)).toEqual(verb);
  });
});

describe('an unknown verb', () => {
  it('is a word that DuckDB refuses at the start of a statement', async () => {
    const keywords = await duckdb.runAndReadAll('SELECT keyword_name FROM duckdb_keywords()');
    const unknown = keywords
      .getRows()
      .map(([word]) => String(word))
      .filter((word) => word.toUpperCase() !== 'WITH' && classify(word).operation === 'OTHER');
    expect(unknown).toContain('dec');
    for (const word of unknown) {
      for (const rest of ['', ' t', ' 1', ' (SELECT 1)']) {
        await expect(duckdb.extractStatements(word + rest), word + rest).rejects.toThrow(/Parser Error/);
      }
    }
  });

  it.each([
    ['foo bar', 'No statement begins with foo. A query begins with SELECT, WITH or FROM.'],
    ['1 + 1', 'No statement begins with 1. A query begins with SELECT, WITH or FROM.'],
    ['WITH x AS (SELECT 1)', 'The statement ends before its verb, such as SELECT.'],
  ])('in %j is an error of the SQL', (sql, message) => {
    expect(() => enforceVerb(sql)).toThrow(expect.objectContaining({ code: 'sql_failed', message }));
  });

  it.each(['SELECT 1', 'DELETE FROM t', 'PRAGMA version', '(FROM t)'])('is not in %j', (sql) => {
    expect(() => enforceVerb(sql)).not.toThrow();
  });
});

describe('what counts as a read', () => {
  it('is never more statements to DuckDB than to us', async () => {
    const random = createRandom(32);
    let parsed = 0;
    for (let round = 0; round < 8000; round += 1) {
      const sql = `SELECT ${random.list(9, () => random.pick(PIECES)).join('')}`;
      if (classify(sql).mode !== 'read') continue;
      const read = await duckdb.extractStatements(sql).catch(() => null);
      if (read === null) continue;
      parsed += 1;
      expect({ sql, count: read.count }).toEqual({ sql, count: statementsOf(sql).length });
    }
    expect(parsed).toBeGreaterThan(400);
  });

  it.each([
    "SELECT $a\u00a0$ ' $a\u00a0$ ; DROP TABLE t; --'",
    "SELECT /* ' */ 1 AS\u00a0e'\\'; DROP TABLE t; --'",
    "SELECT 'x",
    'SELECT 1\0',
  ])('excludes what may be read in two ways: %j', (sql) => expect(classify(sql).mode).toBe('write'));
});

describe('any text', () => {
  it('is classified, never as a read when a bare write stands in front', () => {
    const random = createRandom(31);
    const words = [
      'WITH',
      'AS',
      '(',
      ')',
      ',',
      'SELECT',
      'INSERT',
      'x',
      'RECURSIVE',
      '"q"',
      ';',
      "'",
      '--',
      '\n',
      'FROM',
      '$a',
      'NOT',
      'MATERIALIZED',
    ];
    for (let round = 0; round < 6000; round += 1) {
      const sql = random.list(12, () => random.pick(words)).join(' ');
      const { mode, class: name } = classify(sql);
      expect(mode === 'read').toBe(name === 'read');
      expect(classify(`INSERT ${sql}`).mode).toBe('write');
    }
  });

  it.each(['(', ')', ';', 'WITH x AS (', 'WITH ', 'AS (', 'x ', ',', 'WITH x AS (SELECT 1) '])(
    '100 kB of %j takes linear time',
    (unit) => {
      const start = cpuMs();
      classify(unit.repeat(100_000 / unit.length));
      expect(cpuMs() - start).toBeLessThan(20_000);
    },
  );
});

const PIECES = [
  ...[
    "'",
    '"',
    "E'",
    'e',
    '\\',
    "''",
    '$$',
    '$t$',
    '$',
    '$a',
    '$a$',
    '$1',
    '?',
    '/*',
    '*/',
    '--',
    "U&'",
    "x'",
  ],
  ...[
    '\n',
    '\r',
    ' ',
    '\v',
    '\u00a0',
    '\u2003',
    '\ufeff',
    ';',
    ';',
    ',',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    '-',
    '+',
    '::',
  ],
  ...['SELECT 1', 'SELECT ', 'DROP TABLE t', '1', '1.', 'e1', '0x', 'x', '_', 'a$b', 'AS', "'a'", '#', '@'],
];
