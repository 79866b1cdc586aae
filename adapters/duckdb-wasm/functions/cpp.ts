import type { EngineFunction, Instance } from '../engine/instance.ts';
import type { CPP, OVERLOADS_PREFIX } from './cpp-symbols.ts';

/** An engine with its C++ functions. An object is passed by its address; a result that is an object is written to an address. */
export interface CppInstance extends Instance {
  readonly cpp: { readonly [name in keyof typeof CPP]: EngineFunction };
  /** Functions that write the set of a SQL function's overloads to an address, by the names in SQL. */
  readonly overloads: ReadonlyMap<string, (at: number) => number>;
}

/** The names that the build gives; cpp-symbols.ts itself is not bundled. */
const PREFIX: typeof OVERLOADS_PREFIX = 'overloads ';

/** Adds the C++ functions to an engine. */
export function withCpp(instance: Instance): CppInstance {
  const { exported } = instance;
  const overloads = [...exported].filter(([name]) => name.startsWith(PREFIX));
  return {
    ...instance,
    // The build fails for an engine that lacks one of them.
    cpp: Object.fromEntries(exported) as CppInstance['cpp'],
    overloads: new Map(overloads.map(([names, factory]) => [names.slice(PREFIX.length), factory])),
  };
}
