import type { DuckDBType } from '@duckdb/node-api';

/** Returns DuckDB's name of a type, as `typeof` does. */
export function typeName(type: DuckDBType): string {
  if (type.alias) return type.alias;
  if ('entryNames' in type) return `STRUCT(${membersText(type.entryNames, type.entryTypes)})`;
  if ('memberTags' in type) return `UNION(${membersText(type.memberTags, type.memberTypes)})`;
  if ('keyType' in type) return `MAP(${typeName(type.keyType)}, ${typeName(type.valueType)})`;
  if ('length' in type) return `${typeName(type.valueType)}[${type.length}]`;
  if ('valueType' in type) return `${typeName(type.valueType)}[]`;
  return type.toString();
}

function membersText(names: readonly string[], types: readonly DuckDBType[]): string {
  return types.map((type, index) => quoted(names[index] ?? '') + typeName(type)).join(', ');
}

/** Writes a member's name before its type: quoted unless it is a plain word, empty if it has none. */
function quoted(name: string): string {
  if (name === '') return '';
  return /^[a-z_][a-z0-9_]*$/.test(name) ? `${name} ` : `"${name.replaceAll('"', '""')}" `;
}
