import { describe, expect, it } from 'vitest';
import { breaksEngine, toDuckdbError, toEngineError } from '../../../../adapters/duckdb-wasm/errors.ts';
import { SvcError } from '../../../../src/errors.ts';
import { unwrapMessage } from '../../../../src/sql/query.ts';

describe('an error of DuckDB', () => {
  it.each([
    ['Out of Memory Error: Allocation failure', 'memory_exceeded'],
    ['Invalid Input Error: The engine has no memory left for 12 bytes.', 'memory_exceeded'],
    ['Conversion Error: There is no memory left for the JSON of this statement.', 'memory_exceeded'],
    ['Binder Error: There is no memory left for the JSON of this statement.', 'memory_exceeded'],
    [
      'Invalid Input Error: Cannot execute statement of type "CREATE" on database "a" which is attached in read-only mode!',
      'database_readonly',
    ],
    ['INTERRUPT Error: Interrupted!', 'cancelled'],
    ['INTERNAL Error: Attempted to access index 3', 'database_unavailable'],
    ['FATAL Error: database has been invalidated', 'database_unavailable'],
    ['IO Error: Could not read from file "/a.duckdb"', 'database_unavailable'],
    ['Catalog Error: Table with name FATAL Error does not exist!', 'sql_failed'],
    ["Conversion Error: Could not convert string 'plan failed to allocate' to INT32", 'sql_failed'],
    ["Conversion Error: Could not convert string 'no memory left, bad_alloc' to INT32", 'sql_failed'],
    ["Conversion Error: Could not convert string 'attached in read-only mode' to INT32", 'sql_failed'],
    ['', 'sql_failed'],
  ])('%s is %s', (message, code) => {
    expect(toDuckdbError(message).code).toBe(code);
  });

  it('of a write names what makes the database writable: the engine follows from that', () => {
    const said =
      'Invalid Input Error: Cannot execute statement of type "CREATE" on database "a" which is attached in read-only mode!';
    expect(toDuckdbError(said).message).toBe(
      'The wasm engine serves databases read-only.\nTo run it, set `readonly: false` for the database of the profile, and name no `engine` but auto or native.',
    );
  });

  it('of memory tells nobody of settings that are not theirs', () => {
    const said = 'Out of Memory Error: failed to allocate\nPossible solutions:\n* (SET memory_limit)';
    expect(toDuckdbError(said)).toMatchObject({
      message: 'The query needs more memory than there is. Read or group less at a time.',
      cause: { message: said },
    });
  });

  it('points into the statement as its author wrote it, once', () => {
    const excerpt = '\n\nLINE 1: SELECT * FROM (SELECT nothing FROM t\n                              ^';
    const cleaned = '\n\nLINE 1: SELECT nothing FROM t\n               ^';
    expect(unwrapMessage(`Binder Error: no column${excerpt}${excerpt}`)).toBe(
      `Binder Error: no column${cleaned}`,
    );
  });

  it.each([
    '\n\nPlease try installing and loading the json extension by running:\nINSTALL json;\nLOAD json;\n\nAlternatively, consider enabling auto-install and auto-load by running:\nSET autoinstall_known_extensions=1;\nSET autoload_known_extensions=1;',
    '\n\nPlease try installing and loading the json extension:\nINSTALL json;\nLOAD json;\n\n',
  ])('does not recommend to install an extension', (advice) => {
    const said =
      'Catalog Error: Scalar Function with name "f" is not in the catalog, but it exists in the json extension.';
    expect(unwrapMessage(said + advice)).toBe(said);
    const excerpt = '\n\nLINE 1: SELECT f()\n               ^';
    expect(unwrapMessage(said + advice + excerpt)).toBe(said + excerpt);
  });

  it.each(['sqlite_master', 'pg_prepared_statements'])('does not suggest %s, a table of DuckDB', (own) => {
    const excerpt = '\n\nLINE 1: FROM sales\n             ^';
    const said = `Catalog Error: Table with name sales does not exist!\nDid you mean "${own}"?${excerpt}`;
    expect(unwrapMessage(said)).toBe(`Catalog Error: Table with name sales does not exist!${excerpt}`);
  });

  it.each([
    'Binder Error: no column',
    'Binder Error: no column\n\nLINE 3: WHERE nothing\n              ^',
    'Parser Error: x\n\nLINE 1: ...much further on\n           ^',
    'Binder Error: SELECT * FROM (',
  ])('is left as it is where nothing of ours is in it: %j', (message) => {
    expect(unwrapMessage(message)).toBe(message);
  });
});

describe('what is thrown while the engine works', () => {
  it('breaks the engine unless it is a failure of the statement', () => {
    expect(breaksEngine(new SvcError('sql_failed', 'x'))).toBe(false);
    expect(breaksEngine(new SvcError('memory_exceeded', 'x'))).toBe(false);
    expect(breaksEngine(new SvcError('database_unavailable', 'x'))).toBe(true);
    expect(breaksEngine(new WebAssembly.RuntimeError('unreachable'))).toBe(true);
    expect(breaksEngine(new RangeError('Maximum call stack size exceeded'))).toBe(true);
  });

  it('reaches the caller as one of our errors, with its cause', () => {
    const trap = new WebAssembly.RuntimeError('unreachable');
    expect(toEngineError(trap)).toMatchObject({ code: 'database_unavailable', cause: trap });
    expect(toEngineError(new RangeError('Maximum call stack size exceeded')).code).toBe('sql_failed');
    const own = new SvcError('sql_failed', 'x');
    expect(toEngineError(own)).toBe(own);
  });
});
