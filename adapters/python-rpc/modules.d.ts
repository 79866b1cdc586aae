/** Files beside the Python Worker, as `svc build` writes them. */
declare module '*/tiny-modules.mjs' {
  /** Bytes as hex -> what they compile to. */
  export const modules: readonly (readonly [string, WebAssembly.Module])[];
}

declare module '*/python.json' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default text;
}

declare module 'pyodide/pyodide.asm.mjs' {
  const createModule: unknown;
  // biome-ignore lint/style/noDefaultExport: the package has no other
  export default createModule;
}

/** What Workers have of RPC; the parts used here. */
declare module 'cloudflare:workers' {
  export class WorkerEntrypoint<Env> {
    readonly env: Env;
    readonly ctx: { waitUntil(work: Promise<unknown>): void };
  }
}
