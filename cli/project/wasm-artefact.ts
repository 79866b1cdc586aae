import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ARTEFACT = new URL('../../duckdb-wasm/artefact.json', import.meta.url);
const SET_UP = new URL('../../../scripts/setup.js', import.meta.url);
/** The sources of the artefact. */
const SOURCES = ['../../../scripts/wasm/', '../../../adapters/duckdb-wasm/'];

/** Builds the engine in a checkout if it is missing or older than its sources. An installed package contains it. */
export async function ensureWasmArtefact(): Promise<void> {
  if (!existsSync(fileURLToPath(SET_UP)) || isNewest()) return;
  const { setUp } = await import(SET_UP.href);
  await setUp({ wasm: true });
}

/** Whether the artefact is newer than all its sources. */
function isNewest(): boolean {
  const made = statSync(ARTEFACT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = SOURCES.flatMap((folder) =>
    readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' }).map(
      (name) => new URL(`${folder}${name}`, import.meta.url),
    ),
  );
  return files.every((file) => statSync(file).mtimeMs <= made);
}
