import type { User } from '../context.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Clock } from '../ports.ts';
import type { PolicyRule } from '../project/model.ts';
import type { TypeNode } from '../types/node.ts';
import { type Bindings, toInputBindings, toOutputBindings } from './cel/bindings.ts';
import { absentFields, doubledFields, fieldsOf, hidesRows, type ResultColumns } from './columns.ts';
import type { CompiledRule, PolicyProgram, Verdict } from './compile.ts';
import { type Decision, FAILED_REASON, NO_DECISION } from './decision.ts';
import { declaresField, dropSensitive, filterField, hasField, maskField } from './fields.ts';
import { withoutNulls } from './user.ts';

/** A result after its policies: edited, or null if denied. */
export interface Enforced {
  readonly value: JsonValue;
  readonly decision: Decision;
}

const DEFAULT_REASON = 'Access denied by policy.';
/** Decides on a call by its checked arguments and its user. Stops at the first rule that denies. */
export function enforceInput(
  program: PolicyProgram,
  args: JsonObject,
  user: User | null,
  clock: Clock,
): Decision {
  if (program.input.length === 0) return NO_DECISION;
  const facts: Facts = {
    bindings: toInputBindings(program.scope, args, user),
    withoutNulls: () => toInputBindings(program.scope, args, user, withoutNulls),
    now: once(() => clock.now()),
  };
  return enforce(program.input, facts, () => undefined);
}

/**
 * The denial of a call whose arguments are not all valid, if the valid ones and the user decide it. Null if a rule needs
 * an argument that is not valid, or none denies.
 */
export function denialOf(
  program: PolicyProgram,
  validArgs: JsonObject,
  user: User | null,
  clock: Clock,
): Decision | null {
  const bindings = toInputBindings(program.scope, validArgs, user);
  const now = once(() => clock.now());
  let evaluated = 0;
  for (const { rule, name, evaluate } of program.input) {
    const verdict = evaluate(bindings, now);
    evaluated += 1;
    // A rule about the call can only deny; another action there cannot be evaluated.
    if (matches(verdict)) {
      return { ...advance(NO_DECISION, rule, name, verdict), evaluated };
    }
  }
  return null;
}

/** A rule that fails, and so denies, if it would hide a column that is absent, appears twice, or is the whole result. */
function onColumns(
  compiled: CompiledRule,
  { columns, twice }: ResultColumns,
  { value, returns }: { readonly value: JsonValue; readonly returns: TypeNode | null },
): CompiledRule {
  const failure = failureOf(fieldsOf(compiled.rule, returns), { columns, twice }, value);
  if (failure === null) return compiled;
  return {
    ...compiled,
    evaluate: (bindings, now) => {
      const verdict = compiled.evaluate(bindings, now);
      return matches(verdict) ? { failure } : verdict;
    },
  };
}

/** The reason for which hiding these fields would leave a value visible; null if it would not. */
function failureOf(
  fields: readonly string[],
  { columns, twice }: ResultColumns,
  value: JsonValue,
): string | null {
  const [first] = fields;
  const [absent] = absentFields(fields, columns);
  const [doubled] = doubledFields(fields, twice);
  if (absent !== undefined) return `the statement returns no column ${absent}, so the rule hides nothing`;
  if (doubled !== undefined) return `the statement returns two columns ${doubled}, and the rule hides one`;
  if (first === undefined || isRows(value)) return null;
  return `the result is the value of ${first} alone, without its name, so the rule hides nothing`;
}

/** Whether a result is a row or rows, whose values have names. */
function isRows(value: JsonValue): boolean {
  return isList(value) ? value.every((item) => isObject(item)) : isObject(value) || value === null;
}

/** The same for the result of a function: a field must be in the result, or `return` must declare it. */
function onValue(compiled: CompiledRule, value: JsonValue, returns: TypeNode | null): CompiledRule {
  const { action, fields = [] } = compiled.rule;
  if (action === 'deny' || action === 'filter_sensitive_fields') return compiled;
  return {
    ...compiled,
    evaluate: (bindings, now) => {
      const verdict = compiled.evaluate(bindings, now);
      if (!matches(verdict)) return verdict;
      const absent = fields.find((field) => !hasField(value, field) && !declaresField(returns, field));
      if (absent === undefined) return verdict;
      const failure = `the result has no field ${absent} and \`return\` declares none, so the rule hides nothing`;
      return { failure };
    },
  };
}

/** Decides on a result and edits it. Every condition sees the unedited result; the edits add up in a copy. */
export function enforceOutput(
  program: PolicyProgram,
  value: JsonValue,
  user: User | null,
  clock: Clock,
  columns: ResultColumns | null = null,
): Enforced {
  if (program.output.length === 0) return { value, decision: NO_DECISION };
  let edited = value;
  const facts: Facts = {
    bindings: toOutputBindings(program.scope, value, user),
    withoutNulls: () => toOutputBindings(program.scope, value, user, withoutNulls),
    now: once(() => clock.now()),
  };
  const { returns } = program.scope;
  const rules = decidingRules(program.output, facts).map((rule) =>
    columns === null ? onValue(rule, value, returns) : onColumns(rule, columns, { value, returns }),
  );
  const decision = enforce(rules, facts, (rule) => {
    edited = applyRule(edited, rule, returns ?? undefined);
  });
  return { value: decision.outcome === 'deny' ? null : edited, decision };
}

/**
 * The rules that decide on a result. If one that does not read the result denies every result to a caller, those that read
 * it decide nothing: the name and the reason of such a rule would tell the caller of a result that they may not see.
 */
function decidingRules(rules: readonly CompiledRule[], facts: Facts): readonly CompiledRule[] {
  if (!rules.some(({ readsResult }) => readsResult)) return rules;
  const others = rules.filter(({ readsResult }) => !readsResult);
  return others.some((rule) => deniesAny(rule, facts)) ? others : rules;
}

function deniesAny({ rule, evaluate }: CompiledRule, { bindings, now }: Facts): boolean {
  const verdict = evaluate(bindings, now);
  return 'failure' in verdict || (verdict.matched && rule.action === 'deny');
}

/** The sight of a caller on a completion. `unsure`: a rule hides fields, and the column may have the values of one under another name. */
export type CompletionSight = 'shown' | 'hidden' | 'unsure';

/**
 * Applies output rules to a completion, which has the values of one column. Rules that read the result decide nothing here.
 * A rule that denies hides all values, and so does a rule that fails. A rule for fields hides the values if it names the
 * column, a part of it, or the object that contains it.
 */
export function sightOfCompletion(
  { output, scope }: PolicyProgram,
  column: string,
  user: User | null,
  clock: Clock,
): CompletionSight {
  const bindings = toInputBindings({ ...scope, parameters: [] }, {}, user);
  const now = once(() => clock.now());
  const path = column.toLowerCase();
  const isColumn = (field: string) =>
    field === path || field.startsWith(`${path}.`) || path.startsWith(`${field}.`);
  let sight: CompletionSight = 'shown';
  for (const { rule, readsResult, evaluate } of output) {
    const verdict = readsResult ? { matched: false } : evaluate(bindings, now);
    if ('failure' in verdict || (verdict.matched && rule.action === 'deny')) return 'hidden';
    if (verdict.matched && hidesRows(rule, scope.returns)) return 'hidden';
    const fields = verdict.matched ? fieldsOf(rule, scope.returns) : [];
    if (fields.some((field) => isColumn(field.toLowerCase()))) return 'hidden';
    if (fields.length > 0) sight = 'unsure';
  }
  return sight;
}

/** The values that conditions read. */
interface Facts {
  readonly bindings: Bindings;
  /** The same with empty texts in place of the user's nulls. */
  readonly withoutNulls: () => Bindings;
  readonly now: () => number;
}

function enforce(rules: readonly CompiledRule[], facts: Facts, act: (rule: PolicyRule) => void): Decision {
  let decision: Decision = { ...NO_DECISION, outcome: 'allow' };
  for (const compiled of rules) {
    const { rule, name } = compiled;
    const verdict = compiled.evaluate(facts.bindings, facts.now);
    decision = advance(decision, rule, name, verdict);
    if (decision.outcome === 'deny') {
      // A condition that took too long is not evaluated once more.
      const mayHaveReason = 'failure' in verdict && verdict.exhausted === undefined;
      return mayHaveReason ? { ...decision, reason: reasonOfFailure(compiled, facts) } : decision;
    }
    if (matches(verdict)) act(rule);
  }
  return decision;
}

/**
 * The reason that a caller reads if a rule could not be evaluated. If the rule denies and would work without the user's
 * nulls, it is the author's: "sign in with an address of acme.com" helps somebody who is not signed in.
 */
function reasonOfFailure({ rule, evaluate }: CompiledRule, facts: Facts): string {
  if (rule.action !== 'deny' || rule.reason === undefined) return FAILED_REASON;
  return 'failure' in evaluate(facts.withoutNulls(), facts.now) ? FAILED_REASON : rule.reason;
}

function matches(verdict: Verdict): boolean {
  return 'matched' in verdict && verdict.matched;
}

function advance(decision: Decision, rule: PolicyRule, name: string, verdict: Verdict): Decision {
  const evaluated = decision.evaluated + 1;
  const rules = [...decision.rules, name];
  if ('failure' in verdict) {
    return {
      outcome: 'deny',
      rules,
      reason: FAILED_REASON,
      evaluated,
      failure: `${name}: ${verdict.failure}`,
    };
  }
  if (!verdict.matched) return { ...decision, evaluated };
  if (rule.action === 'deny') {
    return { outcome: 'deny', rules, reason: rule.reason ?? DEFAULT_REASON, evaluated, failure: null };
  }
  const outcome = rule.action === 'mask_fields' && decision.outcome !== 'filter' ? 'mask' : 'filter';
  return { ...decision, outcome, rules, evaluated };
}

function applyRule(value: JsonValue, rule: PolicyRule, returns: TypeNode | undefined): JsonValue {
  const { action, fields = [] } = rule;
  switch (action) {
    case 'deny':
      return value;
    case 'filter_sensitive_fields':
      return dropSensitive(value, returns);
    case 'filter_fields':
      return fields.reduce<JsonValue>((edited, field) => filterField(edited, field), value);
    case 'mask_fields':
      return fields.reduce<JsonValue>((edited, field) => maskField(edited, field), value);
  }
}

function once(read: () => number): () => number {
  let known: number | null = null;
  return () => {
    known ??= read();
    return known;
  };
}
