/** WebAssembly beside the Worker: wrangler uploads it compiled. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default module;
}

/** The user file beside the Worker, as text; null in an artefact without one. */
declare module '*/config.yml' {
  const text: string | null;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default text;
}

/** The manifest beside the Worker, as text. */
declare module '*/manifest.json' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default text;
}
