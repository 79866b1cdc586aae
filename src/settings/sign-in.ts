import { isObject, type JsonValue } from '../json.ts';
import { activePart, type Selected } from './active.ts';
import type { AuthSettings } from './model.ts';
import { PROVIDERS } from './schema/providers.ts';
import type { UserFile } from './user-file.ts';

/** The callers of a server: the sign-in, e.g. `sign-in with Keycloak`, or null, and whether it is public on purpose. */
export interface Callers {
  readonly signIn: string | null;
  readonly public: boolean;
}

/** Describes the sign-in of some settings; null if they require no tokens. */
export function signInOf({
  provider,
  verifier,
  api_keys,
}: Pick<AuthSettings, 'provider' | 'verifier' | 'api_keys'>): string | null {
  const people = verifier === null ? toPeopleText(provider?.id) : toVerifierText(verifier.issuer);
  return withKeys(people, api_keys !== null);
}

/** Reads the callers of one profile from a user file whose references are not resolved. */
export function readCallers(user: UserFile | null, selected: Selected): Callers {
  const { profile } = activePart(user, selected);
  const auth = isObject(profile) && isObject(profile.auth) ? profile.auth : {};
  return { signIn: toSignIn(auth), public: auth.public === true };
}

function toSignIn({
  mode,
  provider,
  verifier,
  api_keys,
}: {
  readonly [key: string]: JsonValue;
}): string | null {
  const people =
    mode === 'verifier'
      ? toVerifierText(isObject(verifier) ? verifier.issuer : undefined)
      : toPeopleText(provider);
  // A list without a value counts too: forgotten keys must not open the server.
  return withKeys(people, api_keys !== undefined);
}

function withKeys(people: string | null, hasKeys: boolean): string | null {
  if (!hasKeys) return people;
  return people === null ? 'API keys' : `${people} or an API key`;
}

function toPeopleText(provider: JsonValue | undefined): string | null {
  return typeof provider !== 'string' || provider === 'none' ? null : toProviderText(provider);
}

function toVerifierText(issuer: JsonValue | undefined): string {
  return typeof issuer === 'string' ? `tokens of ${issuer}` : 'tokens of another server';
}

/** The id may be a reference. */
function toProviderText(id: string): string {
  const known = Object.entries(PROVIDERS).find(([name]) => name === id);
  return `sign-in with ${known?.[1].title ?? 'an identity provider'}`;
}
