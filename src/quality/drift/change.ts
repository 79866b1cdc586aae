import type { JsonValue } from '../../json.ts';

/** What a change does to those who call: the gravest first. */
export const CHANGE_CLASSES = ['breaking', 'widening', 'wording'] as const;
export type ChangeClass = (typeof CHANGE_CLASSES)[number];

/** A difference at a place of something; plain JSON. `old` or `new` is absent where there was or is nothing. */
export type Difference = {
  readonly class: ChangeClass;
  /** Where it is inside of its subject, e.g. `columns.total.type`; empty for all of it. */
  readonly path: string;
  /** What it means to who calls. */
  readonly message: string;
  readonly old?: JsonValue;
  readonly new?: JsonValue;
};

/** A difference and what has it, e.g. `table orders` or `tool get_customer`. */
export type DriftChange = Difference & { readonly subject: string };

/** How many changes there are of each class. */
export type ChangeSummary = { readonly [name in ChangeClass]: number };

/** Which changes fail a check. */
export const FAIL_ON = ['breaking', 'any'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** A difference from what was to what is; undefined stands for nothing. */
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

/** Differences of one subject as changes. */
export function toChanges(subject: string, differences: readonly Difference[]): readonly DriftChange[] {
  return differences.map((one) => ({ ...one, subject }));
}

/** The gravest first, then by what has them. */
export function sortChanges(changes: readonly DriftChange[]): readonly DriftChange[] {
  const rank = ({ class: name }: DriftChange) => CHANGE_CLASSES.indexOf(name);
  return changes.toSorted((one, other) => rank(one) - rank(other) || order(one.subject, other.subject));
}

/** Counts the changes of each class. */
export function summarize(changes: readonly DriftChange[]): ChangeSummary {
  const many = (name: ChangeClass) => changes.filter((change) => change.class === name).length;
  return { breaking: many('breaking'), widening: many('widening'), wording: many('wording') };
}

/** Whether any of the changes is one that fails. */
export function isFailing(changes: readonly DriftChange[], failOn: FailOn): boolean {
  return failOn === 'any' ? changes.length > 0 : changes.some((change) => change.class === 'breaking');
}

function order(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
