import type { Budget } from './budget.ts';
import { globalsOf } from './globals.ts';
import type { Value } from './value.ts';

/** The names that a place in a template can see. */
export interface TemplateScope {
  readonly variables: Map<string, Value>;
  readonly parent: TemplateScope | null;
  readonly budget: Budget;
}

/** Creates the outermost scope, in which the given variables hide global names. */
export function createScope(variables: { readonly [name: string]: Value }, budget: Budget): TemplateScope {
  const globals: TemplateScope = { variables: new Map(globalsOf(budget)), parent: null, budget };
  return { variables: new Map(Object.entries(variables)), parent: globals, budget };
}

/** Creates a scope inside another. Names set in it are not visible outside. */
export function nest(
  parent: TemplateScope,
  variables: Iterable<readonly [string, Value]> = [],
): TemplateScope {
  return { variables: new Map(variables), parent, budget: parent.budget };
}

/** Returns the value of a name, or undefined if it has none. */
export function lookUp(scope: TemplateScope, name: string): Value {
  for (let at: TemplateScope | null = scope; at !== null; at = at.parent) {
    if (at.variables.has(name)) return at.variables.get(name);
  }
  return undefined;
}
