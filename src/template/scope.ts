import type { Budget } from './budget.ts';
import { globalsOf } from './globals.ts';
import type { Value } from './value.ts';

/** The names that are visible at a place of a template. */
export interface TemplateScope {
  readonly variables: Map<string, Value>;
  readonly parent: TemplateScope | null;
  readonly budget: Budget;
}

/** The outermost scope: the given variables over the global names. */
export function createScope(variables: { readonly [name: string]: Value }, budget: Budget): TemplateScope {
  const globals: TemplateScope = { variables: new Map(globalsOf(budget)), parent: null, budget };
  return { variables: new Map(Object.entries(variables)), parent: globals, budget };
}

/** A scope inside another: what is set here is not seen outside. */
export function nest(
  parent: TemplateScope,
  variables: Iterable<readonly [string, Value]> = [],
): TemplateScope {
  return { variables: new Map(variables), parent, budget: parent.budget };
}

/** The value of a name; undefined where it has none. */
export function lookUp(scope: TemplateScope, name: string): Value {
  for (let at: TemplateScope | null = scope; at !== null; at = at.parent) {
    if (at.variables.has(name)) return at.variables.get(name);
  }
  return undefined;
}
