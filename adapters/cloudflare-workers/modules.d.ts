/** A WebAssembly module beside the Worker. Wrangler uploads it compiled. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default module;
}

/** The text of the user file beside the Worker; null in an artefact without one. */
declare module '*/config.yml' {
  const text: string | null;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default text;
}

/** The text of the manifest beside the Worker. */
declare module '*/manifest.json' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default text;
}

/** The part of the platform's module that keeps a request's work running. */
declare module 'cloudflare:workers' {
  export function waitUntil(work: Promise<unknown>): void;
}
