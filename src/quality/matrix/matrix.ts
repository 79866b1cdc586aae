import type { User } from '../../context.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { childrenOf, type Expr, parseCondition } from '../../policy/cel/expression.ts';
import { referencesOf } from '../../policy/cel/names.ts';
import { policyScopeOf } from '../../policy/scope.ts';
import type { Endpoint, Source } from '../../project/model.ts';
import { isExpired } from '../../settings/checks/api-keys.ts';
import type { ApiKey } from '../../settings/model.ts';
import { toCanonicalText } from '../../types/canonical.ts';
import { type EndpointAccess, endpointAccessOf } from '../reachability/access.ts';
import { type Formula, toFormula } from '../reachability/formula.ts';
import { parseUserContext } from '../user.ts';

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

/** Whether code reads the caller: by a SQL function, or in Python by `user` of `svc.runtime`. */
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

/** A user whose rights are shown, with a name for the output; null is an unauthenticated caller. */
export interface MatrixUser {
  readonly name: string;
  readonly context: JsonObject | null;
  readonly user: User | null;
  /** The scopes of an API key; absent for users, whose scopes depend on their sign-in. */
  readonly held?: readonly string[];
}

/** The unauthenticated caller, then each distinct user context. */
export function toMatrixUsers(contexts: readonly JsonObject[], from: string): readonly MatrixUser[] {
  const unique = new Map(contexts.map((context) => [toCanonicalText(context), context]));
  const users: MatrixUser[] = [{ name: 'anonymous', context: null, user: null }];
  const taken = new Set(['anonymous']);
  for (const context of unique.values()) {
    const user = parseUserContext(context, { from, id: 'user' });
    const own = user.role ?? user.email ?? user.name ?? user.id;
    users.push({ name: freeName(own, taken), context, user });
  }
  return users;
}

/** The users of the API keys that have not expired. `now` in milliseconds. */
export function toKeyUsers(keys: readonly ApiKey[], now: number): readonly MatrixUser[] {
  return keys
    .filter((key) => !isExpired(key, now))
    .map(({ name, user, scopes }) => ({
      name: `key ${name}`,
      context: toKeyContext(user),
      user,
      held: ['svc:access', ...scopes],
    }));
}

/** The facts that the entry of a key states about its user. */
function toKeyContext({ externalToken: _, apiKey: _name, ...facts }: User): JsonObject {
  const isStated = (value: JsonValue) =>
    value !== null && (typeof value !== 'object' || Object.keys(value).length > 0);
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => isStated(value)));
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}#${count}`;
  taken.add(name);
  return name;
}

/** The users that a project mentions: those of its tests, and one for each role in a condition. */
export function declaredContexts(endpoints: readonly Endpoint[]): readonly JsonObject[] {
  const tested = endpoints.flatMap(({ tests }) =>
    tests.flatMap(({ user_context }) => (user_context ? [user_context] : [])),
  );
  const known = new Set(tested.flatMap(({ role }) => (typeof role === 'string' ? [role] : [])));
  const named = endpoints.flatMap(({ policies }) =>
    [...policies.input, ...policies.output].flatMap(({ condition }) => rolesIn(condition)),
  );
  const roles = [...new Set(named)].filter((role) => !known.has(role) && role !== 'anonymous');
  // Ids distinguish tests, but policies rarely read them.
  return [...tested.map(withoutId(endpoints)), ...roles.map((role) => ({ role }))];
}

/** If no condition reads the id, users who differ only in the id are one. */
function withoutId(endpoints: readonly Endpoint[]): (context: JsonObject) => JsonObject {
  const reads = endpoints.some(({ policies }) =>
    [...policies.input, ...policies.output].some(({ condition }) => readsId(condition)),
  );
  return ({ id, user_id, ...context }) =>
    reads
      ? { ...(id === undefined ? {} : { id }), ...(user_id === undefined ? {} : { user_id }), ...context }
      : context;
}

/** The whole user and the claims of a simulated user also contain the id. */
function readsId(condition: string): boolean {
  const parsed = parseCondition(condition);
  const read = 'problem' in parsed ? [] : referencesOf(parsed.expr);
  return read.some(({ name, key }) => name === 'user' && (key === null || HOLDING_ID.includes(key)));
}

const HOLDING_ID = ['id', 'user_id', 'claims'];

function rolesIn(condition: string): readonly string[] {
  const parsed = parseCondition(condition);
  return 'problem' in parsed ? [] : rolesOf(parsed.expr);
}

function rolesOf(expr: Expr): readonly string[] {
  const formula: Formula = toFormula(expr, () => null);
  if (formula.kind === 'compare' && formula.path === 'user.role') {
    return formula.values.filter((value) => typeof value === 'string');
  }
  return childrenOf(expr).flatMap(rolesOf);
}
