import { holdsSensitive } from '../audit/redaction/sensitive-types.ts';
import type { CompiledSql, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import type { Database, SqlRequest, SqlValue } from '../ports.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { toSqlValue } from '../sql/bind.ts';
import { exampleOf } from '../types/example.ts';

const MOST_COLUMNS = 10_000;
const TIMEOUT_MS = 10_000;

/**
 * The columns that a rule hides but a query returns more than once. The
 * engine names the second `salary` of a join `salary_1`, which no rule hides.
 */
export async function columnsHiddenOnce(
  entry: ToolEntry | ResourceEntry,
  source: CompiledSql,
  database: Database,
): Promise<readonly string[]> {
  const hidden = hiddenColumns(entry);
  if (source.mode === 'write' || hidden.size === 0) return [];
  const names = (await columnsOf(entry, source, database)).map((name) => name.toLowerCase());
  return [...hidden].filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
}

/** Returns the hidden columns in lower case, because SQL ignores the case of names. */
function hiddenColumns({ policies, returns }: ToolEntry | ResourceEntry): ReadonlySet<string> {
  const fields = policies.output.flatMap((rule) => rule.fields ?? []);
  const columns = fields.map((field) => field.split('.', 1)[0] ?? field);
  const row = returns?.items ?? returns;
  const sensitive = Object.entries(row?.properties ?? {}).filter(
    ([, property]) => property.sensitive === true || holdsSensitive(property),
  );
  return new Set([...columns, ...sensitive.map(([name]) => name)].map((name) => name.toLowerCase()));
}

async function columnsOf(
  entry: ToolEntry | ResourceEntry,
  { sql, order, mode }: CompiledSql,
  database: Database,
): Promise<readonly string[]> {
  const values = order.map((name) => exampleFor(entry, name));
  const request: SqlRequest = { sql: `DESCRIBE ${sql}`, values, mode, maxRows: MOST_COLUMNS };
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: TIMEOUT_MS };
  try {
    const { rows } = await database.run(request, call);
    return rows.map(({ column_name }) => String(column_name));
  } catch (thrown) {
    // The statement itself was checked before, so the error is about the example values.
    if (thrown instanceof SvcError && thrown.code === 'sql_failed') return [];
    throw thrown;
  }
}

/** The engine needs a typed value for each parameter. */
function exampleFor({ parameters, ask = [] }: ToolEntry | ResourceEntry, name: string): SqlValue {
  const parameter = [...parameters, ...answerParameters(ask)].find((one) => one.name === name);
  return parameter === undefined ? null : toSqlValue(parameter, exampleOf(parameter) ?? null);
}
