import { callEndpoint } from '../../src/call/pipeline.ts';
import type { User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonValue } from '../../src/json.ts';
import { contextOf, type Served } from '../unit/call/project.ts';

/** The answers of `execute_sql_query` for a user, one of each server; an error counts as an answer with its text. */
export function answersOf(
  servers: readonly Pick<Served, 'runtime'>[],
  user: User,
  sql: string,
): Promise<JsonValue[]> {
  return Promise.all(servers.map((server) => answerOf(server, user, sql)));
}

async function answerOf({ runtime }: Pick<Served, 'runtime'>, user: User, sql: string): Promise<JsonValue> {
  const entry = runtime.catalog.tools.execute_sql_query;
  if (entry === undefined) throw new Error('execute_sql_query is not there');
  try {
    const { value } = await callEndpoint({ runtime, entry, args: { sql }, context: contextOf(user) });
    return { value };
  } catch (thrown) {
    if (!(thrown instanceof SvcError)) throw thrown;
    return { error: `${thrown.code}: ${thrown.message}` };
  }
}

/** Whether a statement is refused to every caller, with or without rules. */
export function isRefusedToAll(sql: string): boolean {
  return /\bhistogram(?:_values)?\(|\$.*\$/.test(sql);
}
