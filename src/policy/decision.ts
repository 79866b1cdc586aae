import { SvcError } from '../errors.ts';

/** What the policies of a call decided; plain data for audit, spans and the log. */
export interface Decision {
  /** `none`: no rule was there to decide. */
  readonly outcome: 'none' | 'allow' | 'filter' | 'mask' | 'deny';
  /** The rules that acted, e.g. `input[0]`, `output[2]`; the last one is the one that denied. */
  readonly rules: readonly string[];
  /** Why it was denied; a client may read it. Null unless denied. */
  readonly reason: string | null;
  /** How many rules were evaluated. */
  readonly evaluated: number;
  /** Why a rule could not be evaluated; for the log only. */
  readonly failure: string | null;
}

/** The decision where there are no rules. */
export const NO_DECISION: Decision = {
  outcome: 'none',
  rules: [],
  reason: null,
  evaluated: 0,
  failure: null,
};

const STRENGTH = ['none', 'allow', 'mask', 'filter', 'deny'] as const;

/** The decision of a whole call: the stronger outcome of its input and output side. */
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

/** The decision of a call that ended with an error: the denial of a resource in a prompt is the prompt's too. */
export function decisionAfter(error: SvcError, decision: Decision): Decision {
  if (decision.outcome === 'deny' || !isDenial(error)) return decision;
  return { ...decision, outcome: 'deny', reason: error.message };
}

/** Not what a person declined, which has the same code. */
function isDenial({ code, detail }: SvcError): boolean {
  return code === 'denied' && detail?.rule !== undefined;
}

/** The audit record's `policy_decision`. */
export function toAuditDecision({ outcome }: Decision): 'allow' | 'deny' | 'n/a' {
  if (outcome === 'none') return 'n/a';
  return outcome === 'deny' ? 'deny' : 'allow';
}

/** The error of a denied call; its text is the author's reason. */
export function toDeniedError(decision: Decision): SvcError {
  const rule = decision.rules.at(-1) ?? null;
  return new SvcError('denied', decision.reason ?? 'Access denied by policy.', { detail: { rule } });
}
