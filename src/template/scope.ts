import type { Budget } from './budget.ts';
import { globalsOf } from './globals.ts';
import type { Value } from './value.ts';

/** The names that are visible at a place of a template. */
export interface Scope {
  readonly variables: Map<string, Value>;
  readonly parent: Scope | null;
  readonly budget: Budget;
}

/** The outermost scope: the given variables over the global names. */
export function createScope(variables: { readonly [name: string]: Value }, budget: Budget): Scope {
  const globals: Scope = { variables: new Map(globalsOf(budget)), parent: null, budget };
  return { variables: new Map(Object.entries(variables)), parent: globals, budget };
}

/** A scope inside another: what is set here is not seen outside. */
export function nest(parent: Scope, variables: Iterable<readonly [string, Value]> = []): Scope {
  return { variables: new Map(variables), parent, budget: parent.budget };
}

/** The value of a name; undefined where it has none. */
export function lookUp(scope: Scope, name: string): Value {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    if (at.variables.has(name)) return at.variables.get(name);
  }
  return undefined;
}
