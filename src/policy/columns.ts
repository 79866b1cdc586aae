import type { SqlColumn } from '../ports.ts';
import type { PolicyRule } from '../project/model.ts';
import type { TypeNode } from '../types/node.ts';

/** The columns of a statement's result. */
export interface ResultColumns {
  readonly columns: readonly SqlColumn[];
  /** The names in lower case that the statement gives to columns which have other names in the result. */
  readonly twice: ReadonlySet<string>;
}

/** The fields of a rule that hides fields. */
export function fieldsOf({ action, fields = [] }: PolicyRule, returns: TypeNode | null): readonly string[] {
  if (action === 'deny') return [];
  return action === 'filter_sensitive_fields' ? sensitiveFields(returns) : fields;
}

/** The fields of a row that `return` declares sensitive, without the parts of such fields. Paths go through lists. */
export function sensitiveFields(returns: TypeNode | null): readonly string[] {
  return fieldsWithin(returns?.items ?? returns);
}

/** Whether a rule hides a result, each row of it, or parts of lists in a list, which are no fields. */
export function hidesRows({ action }: PolicyRule, returns: TypeNode | null): boolean {
  if (action !== 'filter_sensitive_fields' || returns === null) return false;
  return sensitivePaths(returns).includes('') || sensitiveFields(returns).length === 0;
}

/** Whether `return` declares a sensitive part, at any depth: the whole, items or a property. */
export function hasSensitiveParts(returns: TypeNode): boolean {
  return sensitivePaths(returns).length > 0;
}

function fieldsWithin(node: TypeNode | null): readonly string[] {
  return Object.entries(node?.properties ?? {}).flatMap(([name, property]) =>
    sensitivePaths(property).map((path) => `${name}${path}`),
  );
}

/** The paths to the sensitive parts of a field: an empty one if the field is sensitive, and others such as `.ssn`. */
function sensitivePaths({ sensitive, items, ...node }: TypeNode): readonly string[] {
  if (sensitive) return [''];
  return items ? sensitivePaths(items) : fieldsWithin(node).map((path) => `.${path}`);
}

/** The names that the column of a field may have, in lower case: `pay` and `pay.net` for the field `pay.net`. */
export function columnNamesOf(field: string): readonly string[] {
  const parts = field.toLowerCase().split('.');
  return parts.map((_, at) => parts.slice(0, at + 1).join('.'));
}

/** The fields that no column has: hiding them hides nothing, and a column of another name may hold the values. */
export function absentFields(fields: readonly string[], columns: readonly SqlColumn[]): readonly string[] {
  return fields.filter((field) => !columns.some((column) => hasField(column, field.toLowerCase())));
}

/** The fields whose name the statement gives to a column with another name in the result: a rule hides another one. */
export function doubledFields(fields: readonly string[], twice: ReadonlySet<string>): readonly string[] {
  return fields.filter((field) => columnNamesOf(field).some((name) => twice.has(name)));
}

function hasField({ name, type }: SqlColumn, path: string): boolean {
  return isAt(name.toLowerCase(), type.toLowerCase(), path);
}

/** Whether a path leads to a field of a name and a type in lower case, or to a part of it. */
function isAt(name: string, type: string, path: string): boolean {
  if (path === name) return true;
  return path.startsWith(`${name}.`) && hasPart(type, path.slice(name.length + 1));
}

/**
 * Whether a type has a part at a path. Paths go through lists, and the keys of maps and of JSON are data. A UNION has the
 * form of its member, whose name is in no result.
 */
function hasPart(type: string, path: string): boolean {
  if (/^(?:json|map|variant)\b/.test(type)) return true;
  const [, kind, inner = ''] = /^(struct|union)\((.*)\)/s.exec(type) ?? [];
  if (kind === 'union') return partsOf(inner).some(([, member]) => hasPart(member, path));
  return partsOf(inner).some(([name, part]) => isAt(name, part, path));
}

/** Brackets and commas of a type, and names and values in quotes, which may contain them. */
const MARKS = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[(),]/g;

/** The fields of a STRUCT, or the members of a UNION, quoted or not: `street VARCHAR, "zip code" VARCHAR`. */
function partsOf(fields: string): readonly (readonly [name: string, type: string])[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: mark, index } of fields.matchAll(MARKS)) {
    if (mark === '(') depth += 1;
    else if (mark === ')') depth -= 1;
    else if (mark === ',' && depth === 0) {
      parts.push(fields.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, fields.slice(start)].flatMap((part) => {
    const [, quoted, plain = '', type] = /^\s*(?:"((?:[^"]|"")+)"|([^\s"]+))\s(.*)/s.exec(part) ?? [];
    const name = quoted?.replaceAll('""', '"') ?? plain;
    return type === undefined ? [] : [[name, type] as const];
  });
}
