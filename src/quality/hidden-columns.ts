import { describeColumns, resultFields } from '../call/result-fields.ts';
import { type CompiledSql, type ResourceEntry, type ToolEntry, TYPED_VALUE } from '../catalog/model.ts';
import { absentFields, columnNamesOf, fieldsOf, sensitiveFields } from '../policy/columns.ts';
import type { Database, SqlCall, SqlColumn } from '../ports.ts';
import { renamedNames, repeatedNames } from '../sql/forms.ts';
import { asQuery } from '../sql/query.ts';

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

/** A completion of an endpoint with rules on fields whose column the result does not have. */
export interface ForeignCompletion {
  readonly parameter: string;
  readonly column: string;
}

/** Finds the completions that rules on fields cannot judge: a column of another name may have the values of a hidden field. */
export async function foreignCompletions(
  entry: ResourceEntry,
  database: Database,
): Promise<readonly ForeignCompletion[]> {
  const { policies, returns, completion = {} } = entry;
  if (policies.output.every((rule) => fieldsOf(rule, returns).length === 0)) return [];
  const hasField = await resultFields(entry, database, exampleCall());
  const found: ForeignCompletion[] = [];
  for (const [parameter, statement] of Object.entries(completion)) {
    const query = { ...statement, mode: 'read' } as const;
    const [column] = await describeColumns(withTypedValue(entry), query, database, exampleCall());
    if (column && hasField?.(column.name) === false) found.push({ parameter, column: column.name });
  }
  return found;
}

/** The typed text is a value of completions, which hides a parameter of its name. */
function withTypedValue(entry: ResourceEntry): ResourceEntry {
  const others = entry.parameters.filter(({ name }) => name !== TYPED_VALUE);
  return { ...entry, parameters: [...others, { name: TYPED_VALUE, type: 'string' }] };
}

/** The statement itself was checked before, so an error is about the example values. */
function columnsOf(
  entry: ToolEntry | ResourceEntry,
  source: CompiledSql,
  database: Database,
): Promise<readonly SqlColumn[]> {
  return describeColumns(entry, source, database, exampleCall());
}

/** A call that plans a statement with example values, without a caller. */
export function exampleCall(): SqlCall {
  return { caller: null, signal: new AbortController().signal, timeoutMs: TIMEOUT_MS };
}
