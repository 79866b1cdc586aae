/**
 * Modules that Pyodide compiles at run time, which workerd forbids. They are compiled by the build and found by
 * their bytes.
 */
export type TinyModules = ReadonlyMap<string, WebAssembly.Module>;

/** Returns the name of a module: its bytes as hex. */
export function keyOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Makes `new WebAssembly.Module(bytes)` return a module of the build, and throw CompileError for other bytes.
 */
export function supplyModules(modules: TinyModules): void {
  replaceConstructor((bytes) => {
    const found = modules.get(keyOf(bytes));
    if (found !== undefined) return found;
    throw new WebAssembly.CompileError(`No module of ${bytes.length} bytes was compiled beforehand.`);
  });
}

/** Calls `record` for each module that is compiled from now on. */
export function recordModules(record: (bytes: Uint8Array) => void): void {
  const Original = WebAssembly.Module;
  replaceConstructor((bytes) => {
    record(bytes);
    return new Original(bytes as BufferSource);
  });
}

function replaceConstructor(compile: (bytes: Uint8Array) => WebAssembly.Module): void {
  const construct = (_target: unknown, [source]: unknown[]): WebAssembly.Module => compile(toBytes(source));
  Reflect.set(WebAssembly, 'Module', new Proxy(WebAssembly.Module, { construct }));
}

function toBytes(source: unknown): Uint8Array {
  return source instanceof Uint8Array ? source : new Uint8Array(source as ArrayBuffer);
}
