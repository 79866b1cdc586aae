import type { AnyEntry } from '../catalog/model.ts';
import type { User } from '../context.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { type Decision, NO_DECISION } from '../policy/decision.ts';
import type { Enforced } from '../policy/enforce.ts';
import type { Clock } from '../ports.ts';

/** The policies of one call. */
export interface Judge {
  readonly input: (args: JsonObject) => Decision;
  readonly output: (value: JsonValue) => Enforced;
}

/** Where there are no rules, everything passes. */
const NO_RULES: Judge = {
  input: () => NO_DECISION,
  output: (value) => ({ value, decision: NO_DECISION }),
};

/** Who judges a call of an endpoint; a promise only where there are rules. */
export function judgeOf(entry: AnyEntry, user: User | null, clock: Clock): Judge | Promise<Judge> {
  const { input, output } = entry.policies;
  return input.length + output.length === 0 ? NO_RULES : createJudge(entry, user, clock);
}

/** The language of conditions is a third of all code: it is loaded by the first call that a rule decides on. */
async function createJudge(entry: AnyEntry, user: User | null, clock: Clock): Promise<Judge> {
  const [{ compilePolicies }, { enforceInput, enforceOutput }] = await Promise.all([
    import('../policy/compile.ts'),
    import('../policy/enforce.ts'),
  ]);
  const { kind, parameters, policies } = entry;
  const returns = entry.kind === 'prompt' ? null : entry.returns;
  const program = compilePolicies(policies, { kind, parameters, returns });
  return {
    input: (args) => enforceInput(program, args, user, clock),
    output: (value) => enforceOutput(program, value, user, clock),
  };
}
