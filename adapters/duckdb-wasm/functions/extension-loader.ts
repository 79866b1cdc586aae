import { withTexts } from '../query/parameters.ts';
import type { CppInstance } from './cpp.ts';
import { FUNCTION_SET, MACRO } from './layout.ts';

const LOADER_BYTES = 64;
const TEXT_BYTES = 12;
/** The highest bit of its capacity marks a long C++ string. */
const LONG = 0x80000000;

/** Adds to DuckDB's catalog as extensions do: existing overloads of a function stay. */
export class Loader {
  readonly #instance: CppInstance;
  readonly #at: number;
  /** The address of DuckDB's DatabaseInstance. */
  readonly database: number;

  constructor(instance: CppInstance, database: number) {
    this.#instance = instance;
    // The handle points to a wrapper, which points to the DatabaseInstance.
    this.database = instance.heap.u32(instance.heap.u32(database));
    this.#at = instance.allocate(LOADER_BYTES);
    withCppText(instance, 'svc', (name) => instance.cpp.createLoader(this.#at, this.database, name));
  }

  /** Registers the overloads that `fill` puts into a function set of that name. */
  functions(name: string, fill: (set: number) => void): void {
    const { call, cpp, heap, scratch, withText } = this.#instance;
    const set = withText(name, (at) => call.duckdb_create_scalar_function_set(at));
    fill(set);
    if (heap.u32(set + FUNCTION_SET.functions) !== heap.u32(set + FUNCTION_SET.functions + 4)) {
      cpp.registerFunctions(this.#at, set);
    }
    heap.setU32(scratch, set);
    call.duckdb_destroy_scalar_function_set(scratch);
  }

  /** Registers a cast by the address of its bind function. With a cost, DuckDB also applies it implicitly. */
  cast(source: number, target: number, bind: number, cost = -1): void {
    this.#instance.cpp.registerCast(this.#at, source, target, bind, cost, cost < 0 ? -1 : 0);
  }

  /** Registers a macro of up to seven parameters. */
  macro(name: string, parameters: readonly string[], body: string): void {
    const { cpp, heap } = this.#instance;
    withTexts(this.#instance, ['main', name, body, ...parameters], (texts) => {
      const [schema = 0, called = 0, text = 0, ...names] = Array.from(
        { length: 3 + parameters.length },
        (_, index) => heap.u32(texts + index * 4),
      );
      const at = this.#instance.allocate(MACRO.bytes);
      heap.bytes.fill(0, at, at + MACRO.bytes);
      heap.words(at, [schema, called, ...names]);
      heap.setU32(at + MACRO.body, text);
      cpp.registerMacro(this.#at, cpp.parseMacro(at));
      this.#instance.call.free(at);
    });
  }

  /** Returns DuckDB's cost of an implicit cast between two types. */
  castCost(source: number, target: number): number {
    return this.#instance.cpp.castCost(this.database, source, target);
  }
}

/** Returns the address of a bind function that always answers the cast at an address. */
export function constantCast(instance: CppInstance, cast: number): number {
  return instance.addCallback('bindCast', (result) => instance.heap.words(result, [cast, 0, 0]));
}

/** Passes text as a `const std::string &`, which the callee copies. */
export function withCppText<T>(instance: CppInstance, text: string, use: (at: number) => T): T {
  return instance.withText(text, (bytes, length) => {
    const at = instance.allocate(TEXT_BYTES);
    instance.heap.words(at, [bytes, length, LONG + length + 1]);
    try {
      return use(at);
    } finally {
      instance.call.free(at);
    }
  });
}
