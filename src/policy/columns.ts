import type { SqlColumn } from '../ports.ts';
import type { PolicyRule } from '../project/model.ts';
import type { TypeNode } from '../types/node.ts';

/** The columns of a statement's result. */
export interface ResultColumns {
  readonly columns: readonly SqlColumn[];
  /** The names in lower case that the statement gives to several columns. */
  readonly twice: ReadonlySet<string>;
}

/** The fields of a rule that hides fields. */
export function fieldsOf({ action, fields = [] }: PolicyRule, returns: TypeNode | null): readonly string[] {
  if (action === 'deny') return [];
  return action === 'filter_sensitive_fields' ? sensitiveProperties(returns) : fields;
}

/** The properties of a row that `return` declares sensitive. */
export function sensitiveProperties(returns: TypeNode | null): readonly string[] {
  const row = returns?.items ?? returns;
  return Object.entries(row?.properties ?? {}).flatMap(([name, { sensitive }]) => (sensitive ? [name] : []));
}

/** The fields that no column has: hiding them hides nothing, and a column of another name may hold the values. */
export function absentFields(fields: readonly string[], columns: readonly SqlColumn[]): readonly string[] {
  return fields.filter((field) => !columns.some((column) => hasField(column, field.toLowerCase())));
}

/** The fields whose column appears twice: a rule hides one of them only. */
export function doubledFields(fields: readonly string[], twice: ReadonlySet<string>): readonly string[] {
  return fields.filter((field) => {
    const path = field.toLowerCase();
    return [...twice].some((name) => path === name || path.startsWith(`${name}.`));
  });
}

function hasField({ name, type }: SqlColumn, path: string): boolean {
  const column = name.toLowerCase();
  if (path === column) return true;
  if (!path.startsWith(`${column}.`)) return false;
  const inner = path.slice(column.length + 1).split('.');
  // The keys of these types are data.
  if (/\b(?:JSON|MAP|UNION|VARIANT)\b/.test(type)) return true;
  const fields = type.toLowerCase();
  return /STRUCT\(/.test(type) && inner.every((key) => names(fields, key));
}

/** Whether the text of a STRUCT type has a field, quoted or not: `STRUCT(street VARCHAR, "zip code" VARCHAR)`. */
function names(type: string, key: string): boolean {
  const quoted = `"${key.replaceAll('"', '""')}" `;
  return ['(', ', '].some((before) => type.includes(before + quoted) || type.includes(`${before}${key} `));
}
