import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ARTEFACT = new URL('../duckdb-wasm/artefact.json', import.meta.url);
const SET_UP = new URL('../../scripts/setup.js', import.meta.url);

/** Builds the engine in a checkout that has not needed it yet; an installed package brings it. */
export async function ensureWasmArtefact(): Promise<void> {
  if (existsSync(fileURLToPath(ARTEFACT)) || !existsSync(fileURLToPath(SET_UP))) return;
  const { setUp } = await import(SET_UP.href);
  await setUp({ wasm: true });
}
