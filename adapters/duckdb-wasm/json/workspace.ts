import type { Instance } from '../instance.ts';
import type { SqlTypes, TypeName } from '../sql-types.ts';

/** Vectors that are needed for a moment. */
export interface Workspace {
  /** A new vector of a type, or of the type at an address. */
  create(type: TypeName | number, count: number): number;
  /** A vector of the same values in another type. */
  cast(vector: number, type: TypeName, count: number): number;
  /** Casts the values that can be cast and makes null of the others; answers what was wrong with one of them. */
  tryCast(source: number, target: number, count: number, strict: boolean): string | null;
}

const TEXT_BYTES = 12;

/** Runs with a workspace, whose vectors are given back afterwards. */
export function withWorkspace<T>(instance: Instance, types: SqlTypes, use: (workspace: Workspace) => T): T {
  const { call, cpp, heap, scratch } = instance;
  const vectors: number[] = [];
  const create: Workspace['create'] = (type, count) => {
    const address = typeof type === 'number' ? type : types.get(type);
    const vector = call.duckdb_create_vector(address, Math.max(1, count), 0);
    vectors.push(vector);
    return vector;
  };
  try {
    return use({
      create,
      cast(vector, type, count) {
        const target = create(type, count);
        cpp.castVector(vector, target, count, 0, 0);
        return target;
      },
      tryCast: (source, target, count, strict) =>
        withEmptyText(instance, (message) => {
          const done = cpp.tryCastVector(source, target, count, 0, message, strict ? 1 : 0);
          return done === 0 ? readText(instance, message) : null;
        }),
    });
  } finally {
    for (const vector of vectors) {
      heap.setU32(scratch, vector);
      call.duckdb_destroy_vector(scratch);
    }
  }
}

/** Runs with an empty C++ string that the callee may fill. */
function withEmptyText<T>({ call, heap, allocate }: Instance, use: (at: number) => T): T {
  const at = allocate(TEXT_BYTES);
  heap.words(at, [0, 0, 0]);
  try {
    return use(at);
  } finally {
    if (isLong(heap.bytes, at)) call.free(heap.u32(at));
    call.free(at);
  }
}

function readText({ heap }: Instance, at: number): string {
  return isLong(heap.bytes, at)
    ? heap.text(heap.u32(at), heap.u32(at + 4))
    : heap.text(at, heap.bytes[at + TEXT_BYTES - 1] ?? 0);
}

/** Short C++ strings lie in the object itself, their length in its last byte. */
function isLong(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at + TEXT_BYTES - 1] ?? 0) & 0x80) !== 0;
}
