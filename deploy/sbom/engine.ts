import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Facts about the database engine of an artefact. */
export interface EngineFacts {
  /** Version of the package that it is made from. */
  readonly version: string;
  /** The SHA-256 of each file, by the file's name. */
  readonly files: { readonly [file: string]: string };
}

/** Reads `artefact.json` beside the engine. */
export function engineFacts(folder: string): EngineFacts {
  const { inputs, outputs }: Described = JSON.parse(readFileSync(join(folder, 'artefact.json'), 'utf8'));
  const wasm = Object.entries(outputs).filter(([file]) => file.endsWith('.wasm'));
  const files = Object.fromEntries(wasm.map(([file, { sha256 }]) => [file, sha256]));
  return { version: inputs['@duckdb/duckdb-wasm'], files };
}

interface Described {
  readonly inputs: { readonly '@duckdb/duckdb-wasm': string };
  readonly outputs: { readonly [file: string]: { readonly sha256: string } };
}
