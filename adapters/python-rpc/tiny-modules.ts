/** Code that Pyodide compiles while it runs, which workerd forbids: found by its bytes instead, compiled beforehand. */
export type TinyModules = ReadonlyMap<string, WebAssembly.Module>;

/** A name for bytes. */
export function keyOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Lets `new WebAssembly.Module(bytes)` find what was compiled beforehand; throws for anything else. */
export function supplyModules(modules: TinyModules): void {
  replaceConstructor((bytes) => {
    const found = modules.get(keyOf(bytes));
    if (found !== undefined) return found;
    throw new WebAssembly.CompileError(`No module of ${bytes.length} bytes was compiled beforehand.`);
  });
}

/** Tells of everything that is compiled from now on. */
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
