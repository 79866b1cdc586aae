import type { DuckDBConnection } from '@duckdb/node-api';
import { lexSql } from '../../../src/sql/lexer.ts';
import { CALLER_CALLS, standInError } from '../../../src/sql/stand-ins.ts';
import { lacksCaller } from './caller-macros.ts';

/** On a connection without the functions about the caller nobody may answer in their names. */
export async function checkStandIns(connection: DuckDBConnection): Promise<void> {
  for (const [name, call] of Object.entries(CALLER_CALLS)) {
    const thrown: unknown = await connection.prepare(`SELECT ${call}`).then(
      (statement) => statement.destroySync(),
      (error: unknown) => error,
    );
    if (!(thrown instanceof Error && lacksCaller(thrown.message)))
      throw standInError(name, 'database_unavailable');
  }
}

const NAMES = Object.keys(CALLER_CALLS).join('|');
const DEFINITION = new RegExp(
  String.raw`^CREATE (?:OR REPLACE )?(?:MACRO|FUNCTION) (?:IF NOT EXISTS )?(?:\S+ \. )*"?(${NAMES})"?(?: |$)`,
  'i',
);

/** A function that outlives its connection must not be called like one about the caller. */
export function refuseStandIns(sql: string): void {
  const words = lexSql(sql)
    .tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment')
    .map(({ start, end }) => sql.slice(start, end));
  const [, name] = DEFINITION.exec(words.join(' ')) ?? [];
  if (name !== undefined) throw standInError(name.toLowerCase(), 'sql_rejected');
}
