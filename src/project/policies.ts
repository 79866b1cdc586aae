import type { ParsedPolicies } from './schema/endpoint.ts';
import { present } from './schema/present.ts';

/** What a rule can do. */
export const POLICY_ACTIONS = ['deny', 'filter_fields', 'mask_fields', 'filter_sensitive_fields'] as const;

/** One rule: what happens to a call where its condition holds. */
export interface PolicyRule {
  readonly condition: string;
  readonly action: (typeof POLICY_ACTIONS)[number];
  readonly reason?: string;
  readonly fields?: readonly string[];
}

/** The rules on a call and those on its result. */
export interface Policies {
  readonly input: readonly PolicyRule[];
  readonly output: readonly PolicyRule[];
}

/** The rules as they are written, with lists where there are none. */
export function toPolicies(policies: ParsedPolicies | null | undefined): Policies {
  return { input: (policies?.input ?? []).map(present), output: (policies?.output ?? []).map(present) };
}
