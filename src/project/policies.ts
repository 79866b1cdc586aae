/** The actions of policy rules. */
export const POLICY_ACTIONS = ['deny', 'filter_fields', 'mask_fields', 'filter_sensitive_fields'] as const;

/** One rule: the action on a call if the condition is true. */
export interface PolicyRule {
  readonly condition: string;
  readonly action: (typeof POLICY_ACTIONS)[number];
  readonly reason?: string;
  readonly fields?: readonly string[];
}

/** The rules about a call and the rules about its result. */
export interface Policies {
  readonly input: readonly PolicyRule[];
  readonly output: readonly PolicyRule[];
}
