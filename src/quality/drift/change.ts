import type { JsonValue } from '../../json.ts';

/** The effect of a change on callers, the gravest first. */
export const CHANGE_CLASSES = ['breaking', 'widening', 'wording'] as const;
export type ChangeClass = (typeof CHANGE_CLASSES)[number];

/** A difference at a path. Plain JSON. `old` or `new` is absent if there is no value on that side. */
export type Difference = {
  readonly class: ChangeClass;
  /** The path inside of the subject, e.g. `columns.total.type`; empty for the whole subject. */
  readonly path: string;
  /** The consequence for callers. */
  readonly message: string;
  readonly old?: JsonValue;
  readonly new?: JsonValue;
};

/** A difference and its subject, e.g. `table orders` or `tool get_customer`. */
export type DriftChange = Difference & { readonly subject: string };

/** The number of changes of each class. */
export type ChangeSummary = { readonly [name in ChangeClass]: number };

/** The classes of changes that fail a check. */
export const FAIL_ON = ['breaking', 'any'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** Makes a difference between an old and a new value. `undefined` stands for a missing value. */
export function differ(
  [name, path, message]: readonly [ChangeClass, string, string],
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): Difference {
  return {
    class: name,
    path,
    message,
    ...(before === undefined ? {} : { old: before }),
    ...(after === undefined ? {} : { new: after }),
  };
}

/** Converts the differences of one subject to changes. */
export function toChanges(subject: string, differences: readonly Difference[]): readonly DriftChange[] {
  return differences.map((one) => ({ ...one, subject }));
}

/** Sorts changes by gravity, then by subject. */
export function sortChanges(changes: readonly DriftChange[]): readonly DriftChange[] {
  const rank = ({ class: name }: DriftChange) => CHANGE_CLASSES.indexOf(name);
  return changes.toSorted((one, other) => rank(one) - rank(other) || order(one.subject, other.subject));
}

/** Counts the changes of each class. */
export function summarizeChanges(changes: readonly DriftChange[]): ChangeSummary {
  const many = (name: ChangeClass) => changes.filter((change) => change.class === name).length;
  return { breaking: many('breaking'), widening: many('widening'), wording: many('wording') };
}

/** Whether any of the changes fails the check. */
export function isFailing(changes: readonly DriftChange[], failOn: FailOn): boolean {
  return failOn === 'any' ? changes.length > 0 : changes.some((change) => change.class === 'breaking');
}

function order(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
