import { SvcError } from '../errors.ts';

/** The outcome of a call's policies. Plain data for audit, spans and the log. */
export interface Decision {
  /** `none` means that the endpoint has no rules. */
  readonly outcome: 'none' | 'allow' | 'filter' | 'mask' | 'deny';
  /** The rules that took effect, e.g. `input[0]`, `output[2]`. The last one of a denied call denied it. */
  readonly rules: readonly string[];
  /** The reason for a denial, which a client may read; otherwise null. */
  readonly reason: string | null;
  /** The number of evaluated rules. */
  readonly evaluated: number;
  /** The reason why a rule could not be evaluated; for the log only. */
  readonly failure: string | null;
}

/** The decision for an endpoint without rules. */
export const NO_DECISION: Decision = {
  outcome: 'none',
  rules: [],
  reason: null,
  evaluated: 0,
  failure: null,
};

/** The reason of a denial by a rule that cannot be evaluated. */
export const FAILED_REASON = 'Access denied: a policy could not be evaluated.';

const STRENGTH = ['none', 'allow', 'mask', 'filter', 'deny'] as const;

/** Combines the decisions of both sides; the stronger outcome counts. */
export function combineDecisions(input: Decision, output: Decision): Decision {
  const stronger = STRENGTH.indexOf(output.outcome) > STRENGTH.indexOf(input.outcome) ? output : input;
  return {
    outcome: stronger.outcome,
    rules: [...input.rules, ...output.rules],
    reason: input.reason ?? output.reason,
    evaluated: input.evaluated + output.evaluated,
    failure: input.failure ?? output.failure,
  };
}

/** The decision of a call that ended with an error. If a resource inside a prompt was denied, so was the prompt. */
export function decisionAfter(error: SvcError, decision: Decision): Decision {
  if (decision.outcome === 'deny' || !isDenial(error)) return decision;
  return { ...decision, outcome: 'deny', reason: error.message };
}

/** Distinguishes a denial by policy from a refusal by a person, which has the same code. */
function isDenial({ code, detail }: SvcError): boolean {
  return code === 'denied' && detail?.rule !== undefined;
}

/** The audit record's `policy_decision`. */
export function toAuditDecision({ outcome }: Decision): 'allow' | 'deny' | 'n/a' {
  if (outcome === 'none') return 'n/a';
  return outcome === 'deny' ? 'deny' : 'allow';
}

/** The error of a denied call. Its text is the author's reason. */
export function toDeniedError(decision: Decision): SvcError {
  const rule = decision.rules.at(-1) ?? null;
  return new SvcError('denied', decision.reason ?? 'Access denied by policy.', { detail: { rule } });
}
