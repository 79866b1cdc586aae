import { describe, expect, it } from 'vitest';
import type { SqlCaller, SqlRequest } from '../../../../src/ports.ts';
import { bindCaller } from '../../../../src/sql/lanes/caller-parameters.ts';

const CALLER: SqlCaller = {
  externalToken: 'token',
  username: 'ann',
  provider: 'github',
  email: 'ann@example.com',
  headers: null,
};

const requestOf = (sql: string, values: SqlRequest['values'] = []): SqlRequest => ({
  sql,
  values,
  mode: 'read',
  maxRows: 10,
});

describe('bindCaller', () => {
  it.each([
    ['SELECT * FROM t WHERE owner = get_user_email()', 'SELECT * FROM t WHERE owner = ($1::VARCHAR)'],
    [
      'WITH mine AS (SELECT * FROM t WHERE a = get_user_email()) FROM mine',
      'WITH mine AS (SELECT * FROM t WHERE a = ($1::VARCHAR)) FROM mine',
    ],
    [
      'SELECT count(*) FROM (FROM t WHERE b IN (SELECT b FROM u WHERE a = get_user_email()))',
      'SELECT count(*) FROM (FROM t WHERE b IN (SELECT b FROM u WHERE a = ($1::VARCHAR)))',
    ],
    ['FROM t JOIN u ON t.a = lower( Get_User_Email ( ) )', 'FROM t JOIN u ON t.a = lower( ($1::VARCHAR) )'],
    [
      "SELECT count(*) FROM t GROUP BY a HAVING (a = 'x') OR (a = get_user_email())",
      "SELECT count(*) FROM t GROUP BY a HAVING (a = 'x') OR (a = ($1::VARCHAR))",
    ],
    [
      "SELECT 'get_user_email()' FROM t WHERE a IN ('b', get_user_email())",
      "SELECT 'get_user_email()' FROM t WHERE a IN ('b', ($1::VARCHAR))",
    ],
  ])('makes a parameter of the user function in %s', (sql, expected) => {
    expect(bindCaller(requestOf(sql), CALLER)).toMatchObject({ sql: expected, values: ['ann@example.com'] });
  });

  it('adds parameters behind those of the statement, one for each call', () => {
    const sql = 'FROM t WHERE a = $1 AND b = get_username() AND c = get_user_provider()';
    expect(bindCaller(requestOf(sql, [7n]), CALLER)).toMatchObject({
      sql: 'FROM t WHERE a = $1 AND b = ($2::VARCHAR) AND c = ($3::VARCHAR)',
      values: [7n, 'ann', 'github'],
    });
    expect(bindCaller(requestOf(sql, [7n]), null)?.values).toEqual([7n, null, null]);
    expect(bindCaller(requestOf(sql, [7n]), { ...CALLER, username: 'bob' })?.values).toEqual([
      7n,
      'bob',
      'github',
    ]);
  });

  it.each([
    'SELECT 1',
    'SELECT get_user_email()',
    'SELECT get_user_email() AS me FROM t WHERE owner = get_user_email()',
    'SELECT * FROM t WHERE a = (SELECT get_user_email())',
    'SELECT * FROM t WHERE a = 1 GROUP BY get_user_email()',
    'SELECT * FROM t WHERE a = 1 ORDER BY get_user_email()',
    'SELECT count(*) FILTER (WHERE a = get_user_email()) FROM t',
    'SELECT (SELECT count(*) FROM t WHERE a = get_user_email())',
    'SELECT b, EXISTS (FROM t WHERE (a = get_user_email())) FROM u',
    'SELECT (SELECT max(b) FROM (SELECT b FROM t WHERE a = get_user_email()))',
    'SELECT * FROM t WHERE a = main.get_user_email()',
    'SELECT * FROM t WHERE a = "get_user_email"()',
    'SELECT * FROM t WHERE get_user_email = 1',
    'SELECT * FROM t WHERE a = ? AND b = get_user_email()',
    "SELECT * FROM t WHERE a = get_user_email() AND b = 'never closed",
  ])('leaves %s as it is', (sql) => {
    expect(bindCaller(requestOf(sql), CALLER)).toBeNull();
  });
});
