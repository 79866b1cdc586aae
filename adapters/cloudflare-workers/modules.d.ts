/** WebAssembly beside the Worker: wrangler uploads it compiled. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default module;
}

/** The manifest beside the Worker, as text. */
declare module '*/manifest.json' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the platform's modules have no other
  export default text;
}
