import type { JsonObject } from '../../json.ts';
import type { ProviderProfile } from '../identity.ts';
import { textOf, textsOf } from './field.ts';

/** Claims about tokens, claims without meaning for permissions, and claims with their own field in an identity. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['acr', 'active', 'allowed-origins', 'amr', 'at_hash', 'aud', 'auth_time', 'azp', 'c_hash', 'client_id'],
  ...['exp', 'iat', 'iss', 'jti', 'nbf', 'nonce', 's_hash', 'scope', 'scp', 'session_state', 'sid', 'sub'],
  ...['token_type', 'typ', 'uti', 'ver'],
  ...['address', 'birthdate', 'email', 'email_verified', 'family_name', 'gender', 'given_name', 'groups'],
  ...['locale', 'middle_name', 'name', 'nickname', 'phone_number', 'phone_number_verified'],
  ...['picture', 'preferred_username', 'profile', 'realm_access', 'resource_access', 'updated_at'],
  ...['username', 'website', 'zoneinfo'],
]);

/** Makes a profile from the standard claims of OpenID Connect (Core, 5.1). */
export function toOpenIdProfile(claims: JsonObject): ProviderProfile {
  const address = textOf(claims, 'email');
  const verified = claims.email_verified === true || claims.email_verified === 'true';
  const email = verified ? address : null;
  const groups = textsOf(claims.groups).map((group) => group.replace(/^\//, ''));
  const others = Object.entries(claims).filter(([name]) => !LEFT_OUT.has(name));
  return {
    id: textOf(claims, 'sub') ?? '',
    username: textOf(claims, 'preferred_username') ?? textOf(claims, 'username') ?? email,
    email,
    name: textOf(claims, 'name'),
    groups,
    claims: {
      ...Object.fromEntries(others),
      ...(address !== null && !verified && { email_unverified: address }),
    },
    mapped: { ...claims, email, groups },
  };
}
