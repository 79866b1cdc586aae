import type { DuckDBConnection } from '@duckdb/node-api';
import { tokenTexts } from '../../../src/sql/lexer.ts';
import { CALLER_CALLS, standInError } from '../../../src/sql/stand-ins.ts';
import { lacksCaller } from './caller-macros.ts';

/** Throws if the database defines a function with the name of a user function. */
export async function checkStandIns(connection: DuckDBConnection): Promise<void> {
  for (const [name, call] of Object.entries(CALLER_CALLS)) {
    const thrown: unknown = await connection.prepare(`SELECT ${call}`).then(
      (statement) => statement.destroySync(),
      (error: unknown) => error,
    );
    if (!(thrown instanceof Error && lacksCaller(thrown.message)))
      throw standInError(name, 'project_invalid');
  }
}

const NAMES = Object.keys(CALLER_CALLS).join('|');
const DEFINITION = new RegExp(
  String.raw`^CREATE (?:OR REPLACE )?(?:MACRO|FUNCTION) (?:IF NOT EXISTS )?(?:\S+ \. )*"?(${NAMES})"?(?: |$)`,
  'i',
);

/** Throws for a statement that defines a lasting function with the name of a user function. */
export function refuseStandIns(sql: string): void {
  const [, name] = DEFINITION.exec(tokenTexts(sql).join(' ')) ?? [];
  if (name !== undefined) throw standInError(name.toLowerCase(), 'sql_rejected');
}
