import type { Policies } from './policy-model.ts';
import type { ParsedPolicies } from './schema/endpoint.ts';
import { present } from './schema/present.ts';

/** The rules as they are written, with lists where there are none. */
export function toPolicies(policies: ParsedPolicies | null | undefined): Policies {
  return { input: (policies?.input ?? []).map(present), output: (policies?.output ?? []).map(present) };
}
