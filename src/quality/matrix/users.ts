import type { User } from '../../context.ts';
import type { JsonObject } from '../../json.ts';
import { childrenOf, type Expr, parseCondition } from '../../policy/expression.ts';
import { type Formula, toFormula } from '../../policy/formula.ts';
import type { Endpoint } from '../../project/model.ts';
import { toCanonicalText } from '../../types/canonical.ts';
import { parseUserContext } from '../user.ts';

/** Somebody whose rights are shown, under a name of their own; null: nobody in particular. */
export interface MatrixUser {
  readonly name: string;
  readonly context: JsonObject | null;
  readonly user: User | null;
}

/** Nobody, and then each of some user contexts once. */
export function toMatrixUsers(contexts: readonly JsonObject[], from: string): readonly MatrixUser[] {
  const unique = new Map(contexts.map((context) => [toCanonicalText(context), context]));
  const users: MatrixUser[] = [{ name: 'anonymous', context: null, user: null }];
  for (const context of unique.values()) {
    const user = parseUserContext(context, { from, id: 'user' });
    const own = user.role ?? user.email ?? user.name ?? user.id;
    users.push({ name: freeName(own, users), context, user });
  }
  return users;
}

function freeName(wanted: string, users: readonly MatrixUser[]): string {
  const taken = new Set(users.map(({ name }) => name));
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}#${count}`;
    if (!taken.has(name)) return name;
  }
}

/** The users that a project itself speaks of: those of its tests, and one for each role that a condition names. */
export function declaredContexts(endpoints: readonly Endpoint[]): readonly JsonObject[] {
  const tested = endpoints.flatMap(({ tests }) =>
    tests.flatMap(({ user_context }) => (user_context ? [user_context] : [])),
  );
  const known = new Set(tested.flatMap(({ role }) => (typeof role === 'string' ? [role] : [])));
  const named = endpoints.flatMap(({ policies }) =>
    [...policies.input, ...policies.output].flatMap(({ condition }) => rolesIn(condition)),
  );
  const roles = [...new Set(named)].filter((role) => !known.has(role) && role !== 'anonymous');
  // Ids keep tests apart, and policies hardly ever.
  return [...tested.map(withoutId(endpoints)), ...roles.map((role) => ({ role }))];
}

/** Where no condition reads the id, users who differ in it alone are one. */
function withoutId(endpoints: readonly Endpoint[]): (context: JsonObject) => JsonObject {
  const reads = endpoints.some(({ policies }) =>
    [...policies.input, ...policies.output].some(({ condition }) =>
      /\buser(?:\.|\[['"])(?:user_)?id\b|claims/.test(condition),
    ),
  );
  return ({ id, user_id, ...context }) =>
    reads
      ? { ...(id === undefined ? {} : { id }), ...(user_id === undefined ? {} : { user_id }), ...context }
      : context;
}

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
