import type { JsonObject } from '../json.ts';
import { type ClaimMappings, toGrants } from './identity-grants.ts';
import type { Identity } from './provider.ts';
import { textOf, textsOf } from './providers/field.ts';

/** What a provider says about somebody, checked but not yet mapped. */
export interface Profile extends Omit<Identity, 'role' | 'permissions' | 'capabilities'> {
  /** Everything that `claim_mappings` may look at. */
  readonly mapped: JsonObject;
}

/** An identity: what the provider says, and what the operator grants for it. */
export function toIdentity({ mapped, ...profile }: Profile, mappings: ClaimMappings = {}): Identity {
  const grants = toGrants(mapped, mappings);
  return {
    ...profile,
    role: grants.role ?? textOf(mapped, 'role'),
    permissions: [...new Set([...textsOf(mapped.permissions), ...grants.permissions])],
    capabilities: grants.capabilities,
  };
}
