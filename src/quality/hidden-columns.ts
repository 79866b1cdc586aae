import type { CompiledSql, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import { absentFields, columnNamesOf, fieldsOf, sensitiveFields } from '../policy/columns.ts';
import type { Database, SqlColumn, SqlRequest } from '../ports.ts';
import { renamedNames, repeatedNames } from '../sql/forms.ts';
import { asQuery } from '../sql/query.ts';
import { exampleValues } from './example-plan.ts';

const MOST_COLUMNS = 10_000;
const TIMEOUT_MS = 10_000;

/** Columns of rules that a query returns in a way that leaves values visible. */
interface OpenColumns {
  /** Named otherwise in the result: the engine calls the second `salary` of a join `salary_1`, which no rule hides. */
  readonly twice: readonly string[];
  /** Returned by no column of the name: a misspelled rule hides nothing. */
  readonly absent: readonly string[];
}

/** Compares the rules of an endpoint with the columns of its query. Finds nothing if the columns cannot be known. */
export async function openColumns(
  entry: ToolEntry | ResourceEntry,
  source: CompiledSql,
  database: Database,
): Promise<OpenColumns> {
  const { policies, returns } = entry;
  const ruled = policies.output.flatMap((rule) => fieldsOf(rule, returns));
  const fields = [...new Set([...ruled, ...sensitiveFields(returns)])];
  const hidden = [...new Set(fields.flatMap(columnNamesOf))];
  if (fields.length === 0) return { twice: [], absent: [] };
  // DuckDB describes no write, and the types of fields are not known without that.
  if (source.mode === 'write') {
    const repeated = repeatedNames(await database.prepare(source.sql, 'write'));
    return { twice: hidden.filter((name) => repeated.includes(name)), absent: [] };
  }
  const columns = await columnsOf(entry, source, database);
  const renamed = await renamedOf(columns, () =>
    columnsOf(entry, { ...source, sql: asQuery(source.sql, 1) }, database),
  );
  return {
    twice: hidden.filter((name) => renamed.includes(name)),
    absent: columns.length === 0 ? [] : absentFields(fields, columns),
  };
}

/** The names of columns that have other names in the result, which only repeated names cause. */
async function renamedOf(
  columns: readonly SqlColumn[],
  resultColumns: () => Promise<readonly SqlColumn[]>,
): Promise<readonly string[]> {
  const given = columns.map(({ name }) => name);
  if (repeatedNames(given).length === 0) return [];
  const result = await resultColumns();
  return renamedNames(
    given,
    result.map(({ name }) => name),
  );
}

async function columnsOf(
  entry: ToolEntry | ResourceEntry,
  { sql, order, mode }: CompiledSql,
  database: Database,
): Promise<readonly SqlColumn[]> {
  const values = exampleValues(entry, order);
  const request: SqlRequest = { sql: `DESCRIBE ${sql}`, values, mode, maxRows: MOST_COLUMNS };
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: TIMEOUT_MS };
  try {
    const { rows } = await database.run(request, call);
    return rows.map(({ column_name, column_type }) => ({
      name: String(column_name),
      type: String(column_type),
    }));
  } catch (thrown) {
    // The statement itself was checked before, so the error is about the example values.
    if (thrown instanceof SvcError && thrown.code === 'sql_failed') return [];
    throw thrown;
  }
}
