import { policyScopeOf } from '../../policy/scope.ts';
import type { Endpoint, Source } from '../../project/model.ts';
import { type EndpointAccess, endpointAccessOf } from '../reachability/access.ts';
import type { MatrixUser } from './users.ts';

/** The rights of each user on one endpoint. */
export type MatrixRow = {
  readonly endpoint: string;
  readonly path: string;
  /** Whether the endpoint has rules; without rules, everyone may call it. */
  readonly has_policies: boolean;
  /** The scopes that a token must also hold. */
  readonly scopes: readonly string[];
  /** Whether the SQL or Python reads the caller, so that allowed callers may see different rows. */
  readonly rows_depend_on_caller: boolean;
  readonly access: { readonly [user: string]: EndpointAccess };
};

const ASKS_WHO = /\bget_(?:user_\w+|username|request_headers?(?:_json)?)\b/i;

/** Python code can also read `user` of `svc.runtime`, besides the SQL functions about the caller. */
function asksWho({ language, text }: Source): boolean {
  if (language === 'text') return false;
  return ASKS_WHO.test(text) || (language === 'python' && /\bsvc\b/.test(text) && /\buser\b/.test(text));
}

/** Evaluates every served endpoint for every user. Calls nothing. `required` are the scopes that every caller must hold. */
export function policyMatrix(
  endpoints: readonly Endpoint[],
  users: readonly MatrixUser[],
  required: readonly string[] = [],
): readonly MatrixRow[] {
  return endpoints.map((endpoint) => {
    const { kind, name, file, policies, scopes } = endpoint;
    const scope = policyScopeOf(endpoint);
    return {
      endpoint: `${kind}/${name}`,
      path: file,
      has_policies: policies.input.length + policies.output.length > 0,
      scopes,
      rows_depend_on_caller: endpoint.kind !== 'prompt' && asksWho(endpoint.source),
      access: Object.fromEntries(
        users.map((one) => {
          const lacking = lackingScopes(one, [...required, ...scopes]);
          return [one.name, lacking ?? endpointAccessOf(policies, scope, one.user)];
        }),
      ),
    };
  });
}

/** The denial of an API key that lacks scopes; null for every other user, and for a key that holds them. */
function lackingScopes({ held }: MatrixUser, needed: readonly string[]): EndpointAccess | null {
  const missing = held === undefined ? [] : needed.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return null;
  const reason = `the key does not hold ${missing.join(' ')}`;
  return { call: 'deny', rules: ['scopes'], reason, depends_on: [], fields: [] };
}
