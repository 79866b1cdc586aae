import type { ColumnType } from '../../query/types.ts';
import type { CppInstance } from '../cpp.ts';
import type { SqlTypes } from '../sql-types.ts';
import { setNull } from '../vector.ts';
import type { Workspace } from '../workspace.ts';
import { type Json, KIND } from './document.ts';

/** A value that does not fit becomes NULL, or with `strict` an error. `strict` also refuses missing and duplicate names. */
export interface Strictness {
  readonly strict: boolean;
  readonly unknownNames: boolean;
}

/** The parts that a conversion needs. `problem` is the first value that did not fit. */
export interface TransformKit extends Strictness {
  readonly instance: CppInstance;
  readonly json: Json;
  readonly types: SqlTypes;
  readonly workspace: Workspace;
  problem: string | null;
}

/** The vector to fill, and its type. */
export interface Target {
  readonly vector: number;
  readonly type: ColumnType;
}

/** Whether a value is missing or null. */
export function isMissing({ json }: TransformKit, value: number): boolean {
  return value === 0 || json.kind(value) === KIND.null;
}

/** Sets a row to NULL because its value does not fit. */
export function refuse(kit: TransformKit, { vector }: Target, row: number, reason: () => string): void {
  setNull(kit.instance, vector, row);
  if (kit.strict) kit.problem ??= reason();
}

/** The first 50 characters of a value, for an error. */
export function shown(json: Json, value: number): string {
  const text = json.text(value);
  return text.length > 50 ? `${text.slice(0, 50)}...` : text;
}
