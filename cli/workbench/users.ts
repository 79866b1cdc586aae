import type { User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import {
  declaredContexts,
  type MatrixUser,
  toKeyUsers,
  toMatrixUsers,
} from '../../src/quality/matrix/users.ts';
import { parseUserContext } from '../../src/quality/user.ts';
import type { Started } from '../serve/start.ts';

/** A user to call as, with the scopes that the user holds. */
export interface ActingUser {
  readonly user: User | null;
  readonly scopes: readonly string[];
}

/** The anonymous caller, the users of the project's tests and policies, and those of API keys. */
export function workbenchUsers({ looked, settings }: Started): readonly MatrixUser[] {
  const endpoints = looked.project.endpoints.flatMap(({ endpoint }) => endpoint ?? []);
  return [
    ...toMatrixUsers(declaredContexts(endpoints), 'user_context'),
    ...toKeyUsers(settings.auth.api_keys ?? [], Date.now()),
  ];
}

/**
 * Finds a user by name, or makes one from claims. Claims hold every scope of the project, unless they have their own
 * `scope`. Throws `usage`.
 */
export function toActingUser(started: Started, given: JsonValue): ActingUser {
  if (given === null) return { user: null, scopes: allScopes(started) };
  if (isObject(given)) {
    const user = parseUserContext(given, { from: 'The claims', id: 'workbench' });
    return { user, scopes: scopesOf(given) ?? allScopes(started) };
  }
  const known = workbenchUsers(started).find(({ name }) => name === given);
  if (known === undefined) {
    throw new SvcError(
      'usage',
      `There is no user named ${String(given)}. Reload the page, which shows all users.`,
    );
  }
  const own = known.context === null ? null : scopesOf(known.context);
  return { user: known.user, scopes: known.held ?? own ?? allScopes(started) };
}

/** The scopes that claims state (RFC 9068, 2.2.3); null if they state none. */
function scopesOf({ scope }: JsonObject): readonly string[] | null {
  if (typeof scope === 'string') return scope.split(' ').filter((name) => name !== '');
  return Array.isArray(scope) ? scope.map(String) : null;
}

function allScopes({ runtime: { catalog }, settings }: Started): readonly string[] {
  const entries = [catalog.tools, catalog.resources, catalog.prompts].flatMap((all) => Object.values(all));
  const needed = entries.flatMap(({ scopes = [] }) => scopes);
  return [...new Set(['svc:access', ...(settings.auth.required_scopes ?? []), ...needed])];
}
