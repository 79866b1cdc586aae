import type { AnyEntry, Catalog } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import type { Parameters } from './parameters.ts';

/** The scopes of a server. No scope implies another. */
export interface Scopes {
  /** The scopes that every caller must hold. */
  readonly required: readonly string[];
  /** The scopes of a client that requests none. A challenge names them too; one without any leaves the choice to the client. */
  readonly basic: readonly string[];
  /** All scopes that a client may request. */
  readonly all: readonly string[];
}

/** The scope of everybody who may use the server. */
export const DEFAULT_SCOPE = 'svc:access';
/** Clients request it to get refresh tokens. No token holds it. */
const NO_SCOPES: ReadonlySet<string> = new Set(['offline_access']);

/** Collects the scopes of the settings and the endpoints. */
export function createScopes(required: readonly string[], others: readonly string[]): Scopes {
  const basic = required.length === 0 ? [DEFAULT_SCOPE] : required;
  return { required, basic, all: [...new Set([DEFAULT_SCOPE, ...required, ...others])] };
}

/** The scopes of a server whose tokens another server issues. That one knows `svc:access` only if it is required here. */
export function createForeignScopes(required: readonly string[]): Omit<Scopes, 'all'> {
  return { required, basic: required };
}

/** Parses a `scope` parameter. */
export function toScopes(text: string | undefined): readonly string[] {
  return [...new Set((text ?? '').split(' ').filter((scope) => scope !== '' && !NO_SCOPES.has(scope)))];
}

/** Returns the requested scopes that a client may have. Throws scope_invalid if there are none. */
export function grantScopes(
  parameters: Parameters,
  {
    scopes,
    defaultScopes,
  }: { readonly scopes: readonly string[]; readonly defaultScopes: readonly string[] },
): readonly string[] {
  const requested = toScopes(parameters.get('scope'));
  const granted =
    requested.length === 0 ? defaultScopes : requested.filter((scope) => scopes.includes(scope));
  if (granted.length > 0) return granted;
  throw new SvcError(
    'scope_invalid',
    `The client may have none of the requested scopes. ${available(scopes)}`,
  );
}

const available = (scopes: readonly string[]) => `It may have: ${scopes.join(' ')}.`;

/** Returns the scopes that a user holds. Throws scope_invalid if there are none. */
export function narrowScopes(
  granted: readonly string[],
  held: readonly string[],
  user: string,
): readonly string[] {
  const scopes = granted.filter((scope) => held.includes(scope));
  if (scopes.length > 0) return scopes;
  throw new SvcError('scope_invalid', `${user} holds none of the requested scopes: ${granted.join(' ')}.`);
}

/** The scopes that the endpoints of a catalog require. */
export function endpointScopes({ tools, resources, prompts }: Catalog): readonly string[] {
  const entries = [tools, resources, prompts].flatMap<AnyEntry>((kind) => Object.values(kind));
  return [...new Set(entries.flatMap(({ scopes = [] }) => scopes))];
}
