/*
 * No statement is known that makes the engine trap. Where this file is loaded, the statement TRAP does: the engine's own
 * function that prepares statements ends with the error that WebAssembly throws.
 */

/** The statement that traps. */
export const TRAP = "SELECT 'this statement traps'";

type Prepare = (connection: number, sql: number, out: number) => number;

const instantiate: (
  module: WebAssembly.Module,
  imports: WebAssembly.Imports,
) => Promise<WebAssembly.Instance> = WebAssembly.instantiate;

Object.assign(WebAssembly, {
  async instantiate(module: WebAssembly.Module, imports: WebAssembly.Imports) {
    const { exports } = await instantiate(module, imports);
    const { memory } = imports.env ?? {};
    const prepare = exports.duckdb_prepare;
    if (!(memory instanceof WebAssembly.Memory) || typeof prepare !== 'function') return { exports };
    const trapping: Prepare = (connection, sql, out) => {
      if (textAt(memory, sql).includes(TRAP)) throw new WebAssembly.RuntimeError('unreachable');
      return prepare(connection, sql, out);
    };
    return { exports: { ...exports, duckdb_prepare: trapping } };
  },
});

function textAt(memory: WebAssembly.Memory, at: number): string {
  const bytes = new Uint8Array(memory.buffer);
  return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
}
