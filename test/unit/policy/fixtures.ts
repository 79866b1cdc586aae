import type { User } from '../../../src/context.ts';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import { compilePolicies, type PolicyScope } from '../../../src/policy/compile.ts';
import { enforceInput, enforceOutput } from '../../../src/policy/enforce.ts';
import type { Clock } from '../../../src/ports.ts';
import type { Policies, PolicyRule } from '../../../src/project/model.ts';
import type { Parameter, TypeNode } from '../../../src/types/node.ts';

/** A Saturday, half past two in the afternoon in UTC. */
export const CLOCK: Clock = { now: () => Date.UTC(2026, 0, 31, 14, 30) };

export const ALICE: User = {
  id: 'alice-1',
  username: 'alice',
  email: 'alice@acme.com',
  name: 'Alice',
  provider: 'acme',
  role: 'analyst',
  permissions: ['orders.read', 'orders.write'],
  groups: ['finance', 'eu'],
  capabilities: ['export'],
  claims: { level: 3, region: 'eu', team: { name: 'core' } },
  externalToken: 'planted-token',
};

export const deny = (condition: string, reason?: string): PolicyRule => ({
  condition,
  action: 'deny',
  ...(reason === undefined ? {} : { reason }),
});

export const filter = (condition: string, ...fields: string[]): PolicyRule => ({
  condition,
  action: 'filter_fields',
  fields,
});

export const mask = (condition: string, ...fields: string[]): PolicyRule => ({
  condition,
  action: 'mask_fields',
  fields,
});

export const dropSensitive = (condition: string): PolicyRule => ({
  condition,
  action: 'filter_sensitive_fields',
});

export const policies = (sides: Partial<Policies>): Policies => ({ input: [], output: [], ...sides });

export const scope = (
  parameters: readonly Parameter[] = [],
  returns: TypeNode | null = null,
): PolicyScope => ({
  kind: 'tool',
  parameters,
  returns,
});

/** Decides on arguments; parameters are declared as they are given unless `parameters` says otherwise. */
export function decide(
  rules: readonly PolicyRule[],
  options: { args?: JsonObject; user?: User | null; parameters?: readonly Parameter[]; clock?: Clock } = {},
) {
  const { args = {}, user = ALICE, clock = CLOCK } = options;
  const parameters =
    options.parameters ?? Object.keys(args).map((name) => ({ name, type: 'object' as const }));
  return enforceInput(compilePolicies(policies({ input: rules }), scope(parameters)), args, user, clock);
}

/** Edits a result. */
export function edit(
  rules: readonly PolicyRule[],
  value: JsonValue,
  options: { returns?: TypeNode | null; user?: User | null } = {},
) {
  const { returns = null, user = ALICE } = options;
  const program = compilePolicies(policies({ output: rules }), scope([], returns));
  return enforceOutput(program, value, user, CLOCK);
}

/** Whether a condition holds. */
export function holds(
  condition: string,
  options: { args?: JsonObject; user?: User | null; parameters?: readonly Parameter[]; clock?: Clock } = {},
): boolean | string {
  const decision = decide([deny(condition)], options);
  return decision.failure ?? decision.outcome === 'deny';
}
