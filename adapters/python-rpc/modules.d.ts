/** A module that `svc build` writes beside the Python Worker. */
declare module '*/tiny-modules.mjs' {
  /** Compiled modules, each with its bytes as hex. */
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

/** The part of Workers' RPC that we use. */
declare module 'cloudflare:workers' {
  export class WorkerEntrypoint<Env> {
    readonly env: Env;
    readonly ctx: { waitUntil(work: Promise<unknown>): void };
  }
}
