import type { AnyEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ResultColumns } from '../policy/columns.ts';
import type { Decision } from '../policy/decision.ts';
import type { CompletionSight, Enforced } from '../policy/enforce.ts';
import type { Clock } from '../ports.ts';

/** The caller and the clock that conditions read. */
interface Situation {
  readonly context: Pick<RequestContext, 'user'>;
  readonly runtime: { readonly clock: Clock };
}

/** The compiled policies of one endpoint. */
export interface EndpointPolicies {
  readonly input: (args: JsonObject, situation: Situation) => Decision;
  /** The denial that valid arguments alone decide, while others are not valid. */
  readonly denial: (validArgs: JsonObject, situation: Situation) => Decision | null;
  /** `columns` are those of a statement; null for other results. */
  readonly output: (value: JsonValue, columns: ResultColumns | null, situation: Situation) => Enforced;
  /** Applies output rules to a completion with a column of this name. */
  readonly sightOfCompletion: (column: string, situation: Situation) => CompletionSight;
}

const loaded = new WeakMap<AnyEntry, EndpointPolicies>();

/** The policies of an endpoint, loaded at its first call; null without any. */
export function policiesOf(entry: AnyEntry): Promise<EndpointPolicies> | EndpointPolicies | null {
  const { input, output } = entry.policies;
  return input.length + output.length === 0 ? null : (loaded.get(entry) ?? loadPolicies(entry));
}

/** CEL is a third of all code, so the first call that a rule applies to loads it. An import costs as much as the rules. */
async function loadPolicies(entry: AnyEntry): Promise<EndpointPolicies> {
  const [{ compilePolicies }, { denialOf, enforceInput, enforceOutput, sightOfCompletion }] =
    await Promise.all([import('../policy/compile.ts'), import('../policy/enforce.ts')]);
  const { kind, parameters, policies } = entry;
  const returns = entry.kind === 'prompt' ? null : entry.returns;
  const program = compilePolicies(policies, { kind, parameters, returns });
  const made: EndpointPolicies = {
    input: (args, { context, runtime }) => enforceInput(program, args, context.user, runtime.clock),
    denial: (args, { context, runtime }) => denialOf(program, args, context.user, runtime.clock),
    output: (value, columns, { context, runtime }) =>
      enforceOutput(program, value, context.user, runtime.clock, columns),
    sightOfCompletion: (column, { context, runtime }) =>
      sightOfCompletion(program, column, context.user, runtime.clock),
  };
  loaded.set(entry, made);
  return made;
}
