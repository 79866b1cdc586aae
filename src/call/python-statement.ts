import { sha256Hex } from '../crypto/digest.ts';
import { SvcError } from '../errors.ts';
import { scanParameters } from '../sql/parameters.ts';
import { classify, statementsOf } from '../sql/statement.ts';
import type { SqlValue } from '../sql-value.ts';

/** A statement of a Python function with its named parameters rewritten to positions. */
export interface PythonStatement {
  readonly sql: string;
  readonly order: readonly string[];
  readonly mode: 'read' | 'write';
  readonly operation: string;
  readonly hash: string;
}

const MAX_KNOWN = 500;
/** Longer statements usually contain values and do not come again. */
const MAX_KNOWN_LENGTH = 20_000;
const known = new Map<string, Promise<PythonStatement>>();

/** Parses a statement and caches the result. Throws sql_rejected unless the text is exactly one statement. */
export function statementOf(sql: string): Promise<PythonStatement> {
  if (sql.length > MAX_KNOWN_LENGTH) return read(sql);
  const found = known.get(sql) ?? read(sql);
  // Taken out and put back: the first one is the one that was not used for the longest time.
  known.delete(sql);
  known.set(sql, found);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_KNOWN) break;
    known.delete(oldest);
  }
  found.catch(() => known.delete(sql));
  return found;
}

async function read(text: string): Promise<PythonStatement> {
  const scan = scanParameters(text);
  const [problem] = scan.problems;
  if (problem !== undefined) throw refused(`${problem.message}.`);
  const [first, second] = statementsOf(text);
  if (first === undefined) throw refused('There is no SQL in it.');
  if (second !== undefined)
    throw refused('It holds more than one statement: execute them one after the other.');
  const { mode, operation } = classify(text);
  return { ...scan.rewrite(), mode, operation, hash: await sha256Hex(text) };
}

/** Orders values by the positions of a statement. Throws sql_rejected if one is missing. */
export function bindParameters(
  { order }: PythonStatement,
  params: { readonly [name: string]: SqlValue },
): readonly SqlValue[] {
  return order.map((name) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value !== undefined) return value;
    throw refused(`It uses $${name}, and the parameters have no ${name}.`);
  });
}

function refused(reason: string): SvcError {
  return new SvcError('sql_rejected', `The statement cannot run. ${reason}`);
}
