import { type CelEnv, celType, isCelError, isCelType, plan } from '@bufbuild/cel';
import { messageOf, SvcError } from '../errors.ts';
import type { EndpointKind, Policies, PolicyRule } from '../project/model.ts';
import type { Parameter, TypeNode } from '../types/node.ts';
import type { Bindings } from './cel/bindings.ts';
import { createEnvironment } from './cel/environment.ts';
import { type Expr, parseCondition } from './cel/expression.ts';
import { instrument } from './cel/instrument.ts';
import type { Meter } from './cel/meter.ts';
import { referencesOf } from './cel/names.ts';
import { ruleIssue } from './checks/rule.ts';

/** The two lists of rules. */
export type Side = 'input' | 'output';

/** The declared parameters and result that an endpoint's conditions may read. */
export interface PolicyScope {
  readonly kind: EndpointKind;
  readonly parameters: readonly Parameter[];
  readonly returns: TypeNode | null;
}

/** The outcome of a condition. A failure never counts as false. */
export type Verdict =
  | { readonly matched: boolean }
  | {
      readonly failure: string;
      /** The value is neither true nor false. */
      readonly odd?: true;
      /** The condition took more steps than it may. */
      readonly exhausted?: true;
    };

/** A rule that is ready for evaluation. */
export interface CompiledRule {
  readonly rule: PolicyRule;
  /** E.g. `input[0]`. */
  readonly name: string;
  /** Whether the condition reads the result of the call. */
  readonly readsResult: boolean;
  evaluate(bindings: Bindings, now: () => number): Verdict;
}

/** The rules of one endpoint, compiled. */
export interface PolicyProgram {
  readonly scope: PolicyScope;
  readonly input: readonly CompiledRule[];
  readonly output: readonly CompiledRule[];
}

/** About half a second: twenty loops over 10,000 rows. */
const BUDGET = 200_000;

const programs = new WeakMap<Policies, PolicyProgram>();

/** The compiled policies of an endpoint, cached after the first use. A rule that does not compile denies. */
export function compilePolicies(policies: Policies, scope: PolicyScope): PolicyProgram {
  const known = programs.get(policies);
  if (known) return known;
  const compile = (side: Side, rule: PolicyRule, index: number): CompiledRule => {
    const problem = ruleIssue(side, rule, scope.returns);
    const evaluate =
      problem === null ? compileCondition(rule.condition) : () => ({ failure: problem.message });
    const readsResult = side === 'output' && readsResponse(rule.condition);
    return { rule, name: `${side}[${index}]`, readsResult, evaluate };
  };
  const program: PolicyProgram = {
    scope,
    input: policies.input.map((rule, index) => compile('input', rule, index)),
    output: policies.output.map((rule, index) => compile('output', rule, index)),
  };
  programs.set(policies, program);
  return program;
}

/** Whether a condition of an output rule reads `response`, or may do so because it is no expression. */
function readsResponse(condition: string): boolean {
  const parsed = parseCondition(condition);
  return 'problem' in parsed || referencesOf(parsed.expr).some(({ name }) => name === 'response');
}

/** Compiles a condition, given as text or as a part of its syntax tree. */
export function compileCondition(condition: string | Expr): CompiledRule['evaluate'] {
  const { meter, environment } = sharedEvaluator();
  const run = planCondition(environment, condition);
  if (typeof run === 'string') return () => ({ failure: run });
  return (bindings, now) => {
    meter.start(now);
    const verdict = toVerdict(run(bindings));
    return 'failure' in verdict && meter.isExhausted() ? { ...verdict, exhausted: true } : verdict;
  };
}

/** Compiles an expression of any type. Its value is no value of CEL if it cannot be evaluated. */
export function compileExpression(expr: Expr): (bindings: Bindings, now: () => number) => unknown {
  const { meter, environment } = sharedEvaluator();
  const run = planCondition(environment, expr);
  if (typeof run === 'string') return () => undefined;
  return (bindings, now) => {
    meter.start(now);
    return run(bindings);
  };
}

interface Evaluator {
  readonly meter: ReturnType<typeof createMeter>;
  readonly environment: CelEnv;
}

let evaluator: Evaluator | null = null;

/** Created at the first use (25 kB). All conditions share it, because evaluation is synchronous and each sets the meter first. */
function sharedEvaluator(): Evaluator {
  evaluator ??= createEvaluator();
  return evaluator;
}

function createEvaluator(): Evaluator {
  const meter = createMeter();
  return { meter, environment: createEnvironment(meter) };
}

function planCondition(
  environment: CelEnv,
  condition: string | Expr,
): ((bindings: Bindings) => unknown) | string {
  const parsed = typeof condition === 'string' ? parseCondition(condition) : { expr: condition };
  if ('problem' in parsed) return parsed.problem.message;
  try {
    return plan(environment, instrument(parsed.expr));
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function toVerdict(result: unknown): Verdict {
  if (typeof result === 'boolean') return { matched: result };
  if (isCelError(result)) return { failure: result.message };
  return { failure: `the condition gives ${typeNameOf(result)}, not true or false`, odd: true };
}

function typeNameOf(result: unknown): string {
  if (isCelType(result)) return 'a type';
  return `a value of type ${celType(result as Parameters<typeof celType>[0]).name}`;
}

function createMeter(): Meter & { start(now: () => number): void; isExhausted(): boolean } {
  let left = 0;
  let clock = (): number => 0;
  return {
    start(now) {
      left = BUDGET;
      clock = now;
    },
    spend(units) {
      left -= units;
      if (left < 0) throw new SvcError('internal', 'the condition takes too many steps');
    },
    now() {
      return clock();
    },
    isExhausted() {
      return left < 0;
    },
  };
}
