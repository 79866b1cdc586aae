import { holdsSensitive } from '../audit/sensitive.ts';
import type { CompiledSql, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import type { Database } from '../ports.ts';

const MOST_COLUMNS = 10_000;
const TIMEOUT_MS = 10_000;

/**
 * The columns that a rule hides and that a query gives more than once: the engine calls the second `salary` of a join
 * `salary_1`, and nothing hides that.
 */
export async function columnsHiddenOnce(
  entry: ToolEntry | ResourceEntry,
  { sql, mode, order }: CompiledSql,
  database: Database,
): Promise<readonly string[]> {
  const hidden = hiddenColumns(entry);
  if (mode === 'write' || hidden.size === 0) return [];
  const { rows } = await database.run(
    { sql: `DESCRIBE ${sql}`, values: order.map(() => null), mode, maxRows: MOST_COLUMNS },
    { caller: null, signal: new AbortController().signal, timeoutMs: TIMEOUT_MS },
  );
  const names = rows.map(({ column_name }) => String(column_name).toLowerCase());
  return [...hidden].filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
}

/** In small letters, as SQL takes names. */
function hiddenColumns({ policies, returns }: ToolEntry | ResourceEntry): ReadonlySet<string> {
  const fields = policies.output.flatMap((rule) => rule.fields ?? []);
  const columns = fields.map((field) => field.split('.', 1)[0] ?? field);
  const row = returns?.items ?? returns;
  const sensitive = Object.entries(row?.properties ?? {}).filter(
    ([, property]) => property.sensitive === true || holdsSensitive(property),
  );
  return new Set([...columns, ...sensitive.map(([name]) => name)].map((name) => name.toLowerCase()));
}
