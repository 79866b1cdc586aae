import type { CompiledSql, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import { absentFields, columnNamesOf, fieldsOf, sensitiveFields } from '../policy/columns.ts';
import type { Database, SqlColumn, SqlRequest } from '../ports.ts';
import { repeatedNames } from '../sql/forms.ts';
import { exampleValues } from './example-plan.ts';

const MOST_COLUMNS = 10_000;
const TIMEOUT_MS = 10_000;

/** Columns of rules that a query returns in a way that leaves values visible. */
interface OpenColumns {
  /** Returned more than once: the engine names the second `salary` of a join `salary_1`, which no rule hides. */
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
  const hidden = new Set(fields.flatMap(columnNamesOf));
  if (fields.length === 0) return { twice: [], absent: [] };
  // DuckDB describes no write, and the types of fields are not known without that.
  if (source.mode === 'write') {
    return { twice: repeatedOf(hidden, await database.prepare(source.sql, 'write')), absent: [] };
  }
  const columns = await columnsOf(entry, source, database);
  return {
    twice: repeatedOf(
      hidden,
      columns.map(({ name }) => name),
    ),
    absent: columns.length === 0 ? [] : absentFields(fields, columns),
  };
}

function repeatedOf(hidden: ReadonlySet<string>, names: readonly string[]): readonly string[] {
  const repeated = repeatedNames(names);
  return [...hidden].filter((name) => repeated.includes(name));
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
