import { type CompletionSql, type PromptEntry, type ResourceEntry, TYPED_VALUE } from '../catalog/model.ts';
import { mayCall, type RequestContext } from '../context.ts';
import { type JsonObject, toTextOrJson } from '../json.ts';
import { toSqlValue } from '../sql/bind.ts';
import type { SqlValue } from '../sql-value.ts';
import { validArguments } from './arguments.ts';
import { policiesOf } from './policies.ts';
import type { Runtime } from './runtime.ts';
import { toSqlCaller } from './sql.ts';

/** A parameter to complete. */
export interface Completing {
  readonly name: string;
  /** The text that the person has typed so far. */
  readonly value: string;
  /** The values of the other parameters. A value that its parameter does not allow is ignored. */
  readonly args: JsonObject;
}

/** Short, because a person waits for it at every key. */
const TIMEOUT_MS = 3_000;

/**
 * Runs the completion SQL of a parameter and returns at most `most + 1` values; null if it has no such SQL. Callers whom a
 * policy denies, or whom it keeps from the column, get no values.
 */
export async function completeParameter(
  runtime: Runtime,
  entry: PromptEntry | ResourceEntry,
  { name, value, args }: Completing,
  { context, most }: { readonly context: RequestContext; readonly most: number },
): Promise<readonly string[] | null> {
  if (!mayCall(entry, context.scopes)) return [];
  const statement = ownStatement(entry, name);
  if (statement === null) return null;
  const known = validArguments(entry, { ...args, [name]: value });
  const policies = await policiesOf(entry);
  const situation = { runtime, context };
  // A condition that reads a missing value denies too.
  if (policies !== null && policies.input(known, situation).outcome === 'deny') return [];
  const values = statement.order.map((key) =>
    bound(entry, key, key === TYPED_VALUE ? { [TYPED_VALUE]: value } : known),
  );
  const database = await runtime.database();
  const call = { caller: toSqlCaller(context), signal: context.signal, timeoutMs: TIMEOUT_MS };
  const request = { sql: statement.sql, values, mode: 'read', maxRows: most + 1 } as const;
  const { rows, columns } = await database.run(request, call);
  const column = columns[0]?.name ?? '';
  const sight = policies?.sightOfCompletion(column, situation) ?? 'shown';
  if (sight === 'hidden') return [];
  if (sight === 'unsure' && entry.kind === 'resource') {
    const { resultFields } = await import('./result-fields.ts');
    const hasField = await resultFields(entry, database, call);
    if (!hasField?.(column)) return [];
  }
  return rows.flatMap(({ [column]: found = null }) => (found === null ? [] : [toTextOrJson(found)]));
}

function ownStatement({ completion = {} }: PromptEntry | ResourceEntry, name: string): CompletionSql | null {
  return Object.hasOwn(completion, name) ? (completion[name] ?? null) : null;
}

function bound({ parameters }: PromptEntry | ResourceEntry, name: string, known: JsonObject): SqlValue {
  const parameter = parameters.find((one) => one.name === name && name !== TYPED_VALUE);
  return toSqlValue(parameter ?? { type: 'string' }, known[name] ?? null);
}
