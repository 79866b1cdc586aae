import type { ColumnType } from '../../query/column-type.ts';
import type { CppInstance } from '../cpp.ts';
import type { SqlTypes } from '../sql-types.ts';
import { setNull } from '../vector.ts';
import { type Json, KIND } from './document.ts';
import type { Workspace } from './temporary-vectors.ts';

/** What does not fit is null, or with `strict` an error, as are names that are missing, unknown, or there twice. */
export interface Strictness {
  readonly strict: boolean;
  readonly unknownNames: boolean;
}

/** What values are turned with; the first thing that did not fit is kept. */
export interface TransformKit extends Strictness {
  readonly instance: CppInstance;
  readonly json: Json;
  readonly types: SqlTypes;
  readonly workspace: Workspace;
  problem: string | null;
}

/** The vector that is filled, and its type. */
export interface Target {
  readonly vector: number;
  readonly type: ColumnType;
}

/** Whether a value is not there, or null. */
export function isMissing({ json }: TransformKit, value: number): boolean {
  return value === 0 || json.kind(value) === KIND.null;
}

/** Makes a row null whose value does not fit. */
export function refuse(kit: TransformKit, { vector }: Target, row: number, reason: () => string): void {
  setNull(kit.instance, vector, row);
  if (kit.strict) kit.problem ??= reason();
}

/** The beginning of a value, for an error. */
export function shown(json: Json, value: number): string {
  const text = json.text(value);
  return text.length > 50 ? `${text.slice(0, 50)}...` : text;
}
