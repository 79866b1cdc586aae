import type { CppInstance } from './cpp.ts';
import type { SqlTypeName, SqlTypes } from './sql-types.ts';
import { withTypeOf } from './vector.ts';

/** Creates vectors that live for one conversion. */
export interface Workspace {
  /** A new vector of a type. */
  create(type: SqlTypeName, count: number): number;
  /** A new vector of the type that another has. */
  createLike(vector: number, count: number): number;
  /** A vector of the same values in another type. */
  cast(vector: number, type: SqlTypeName, count: number): number;
  /** Casts the values that can be cast, and makes null of the others. */
  tryCast(source: number, target: number, count: number, strict: boolean): void;
}

const TEXT_BYTES = 12;

/** Runs with a workspace, and destroys its vectors afterwards. */
export function withWorkspace<T>(
  instance: CppInstance,
  types: SqlTypes,
  use: (workspace: Workspace) => T,
): T {
  const { call, cpp, heap, scratch } = instance;
  const vectors: number[] = [];
  const added = (type: number, count: number): number => {
    const vector = call.duckdb_create_vector(type, Math.max(1, count), 0);
    vectors.push(vector);
    return vector;
  };
  const create: Workspace['create'] = (type, count) => added(types.get(type), count);
  try {
    return use({
      create,
      createLike: (vector, count) => withTypeOf(instance, vector, (type) => added(type, count)),
      cast(vector, type, count) {
        const target = create(type, count);
        cpp.castVector(vector, target, count, 0, 0);
        return target;
      },
      tryCast: (source, target, count, strict) =>
        withEmptyText(instance, (message) =>
          cpp.tryCastVector(source, target, count, 0, message, strict ? 1 : 0),
        ),
    });
  } finally {
    for (const vector of vectors) {
      heap.setU32(scratch, vector);
      call.duckdb_destroy_vector(scratch);
    }
  }
}

/** Passes an empty `std::string` that the callee may fill. A long text is in memory of its own, which is freed too. */
function withEmptyText({ call, heap, allocate }: CppInstance, use: (at: number) => void): void {
  const at = allocate(TEXT_BYTES);
  heap.words(at, [0, 0, 0]);
  try {
    use(at);
  } finally {
    const isLong = heap.view.getInt8(at + TEXT_BYTES - 1) < 0;
    if (isLong) call.free(heap.u32(at));
    call.free(at);
  }
}
