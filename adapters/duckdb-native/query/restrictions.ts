import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import { tokenTexts } from '../../../src/sql/lexer.ts';
import { calledFunction, rejection } from '../../../src/sql/query.ts';
import type { Driver } from '../driver/driver.ts';

/** DuckDB's functions that read files. */
const FILE_READERS = /^"?(read_\w+|sniff_csv|parquet_\w+|glob)"?$/i;

/** Whether a function reads files. */
export function isFileReader(name: string): boolean {
  return FILE_READERS.test(name);
}

/** Throws for SQL that reads files: DuckDB allows reading the database's own file, which still has dropped rows. */
export function refuseFileReaders(sql: string): void {
  const name = calledFunction(sql, FILE_READERS);
  if (name !== undefined) throw rejection(name);
}

const PERSISTENT_SECRET =
  /\bCREATE (?:OR REPLACE )?(?:PERSISTENT SECRET|(?:TEMP |TEMPORARY )?SECRET (?:IF NOT EXISTS )?(?:\S+ )?IN )/i;

/** Throws sql_rejected for a statement that stores a secret on disk: secrets come from the user file. */
export function refusePersistentSecrets(sql: string): void {
  if (!PERSISTENT_SECRET.test(tokenTexts(sql).join(' '))) return;
  throw new SvcError(
    'sql_rejected',
    'The statement stores a secret on disk. Name the secret under `secrets` of the user file instead.',
  );
}

/** Checks the kind of a statement that writes: it must not end its transaction, load code or reach other files. */
export function checkKind(
  { api }: Driver,
  { statementType: kind }: DuckDBPreparedStatement,
  external: boolean,
): void {
  const { StatementType: kinds } = api;
  if (kind === kinds.TRANSACTION) {
    throw new SvcError(
      'sql_failed',
      'The statement begins or ends a transaction; each statement has its own.',
    );
  }
  if (kind === kinds.LOAD || kind === kinds.UPDATE_EXTENSIONS) throw extensionsLoadAtStart();
  // A kind that a new DuckDB brings is refused until somebody has looked at it.
  if (kind === kinds.INVALID || kinds[kind] === undefined) throw unknownKind();
  if (external) return;
  const { COPY, COPY_DATABASE, EXPORT, ATTACH, DETACH } = kinds;
  const reaching: readonly number[] = [COPY, COPY_DATABASE, EXPORT, ATTACH, DETACH];
  if (reaching.includes(kind)) throw rejection(kinds[kind] ?? 'a file');
}

/** Whether DuckDB explains a statement that writes, with the scans of its data. */
export function isExplained({ api }: Driver, { statementType: kind }: DuckDBPreparedStatement): boolean {
  const { SELECT, INSERT, UPDATE, DELETE, MERGE_INTO, COPY, CREATE } = api.StatementType;
  const explained: readonly number[] = [SELECT, INSERT, UPDATE, DELETE, MERGE_INTO, COPY, CREATE];
  return explained.includes(kind);
}

/** Whether a statement may change definitions, such as those of tables, views and macros, and not rows alone. */
export function mayDefine({ api }: Driver, { statementType: kind }: DuckDBPreparedStatement): boolean {
  const { SELECT, INSERT, UPDATE, DELETE, MERGE_INTO } = api.StatementType;
  const rowsAlone: readonly number[] = [SELECT, INSERT, UPDATE, DELETE, MERGE_INTO];
  return !rowsAlone.includes(kind);
}

function unknownKind(): SvcError {
  return new SvcError('sql_rejected', 'The statement is of a kind that this version of svc does not run.');
}

function extensionsLoadAtStart(): SvcError {
  return new SvcError(
    'sql_rejected',
    'The statement loads or installs an extension. Name it under `extensions` of svc-site.yml instead.',
  );
}
