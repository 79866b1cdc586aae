import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { BUNDLED_FROM } from '../bundle.ts';
import { MATERIALS } from '../targets/target.ts';
import { toBom } from './cyclonedx.ts';
import { engineFacts } from './engine.ts';
import { toLicenses } from './licenses.ts';
import { type Package, packagesOf } from './packages.ts';

/** The identity of an artefact in its bill of materials. */
export interface Artefact {
  readonly project: string;
  readonly target: string;
  readonly hash: string;
  readonly version: string;
}

/** The bill of materials and the licences, made from the bundled modules and the engine. */
export function materialFiles(
  artefact: Artefact,
  metafiles: readonly Metafile[],
  engineFolder: string,
  copied: readonly Package[] = [],
): { readonly [path: string]: string } {
  const packages = [...packagesOf(metafiles, BUNDLED_FROM), ...copied];
  const engine = engineFacts(engineFolder);
  const bom = toBom({ ...artefact, packages, engine });
  const duckdb = {
    name: `duckdb.wasm, of @duckdb/duckdb-wasm@${engine.version} (MIT)`,
    text: readFileSync(join(engineFolder, 'LICENSE.duckdb.txt'), 'utf8').trim(),
  };
  return {
    [MATERIALS.bom]: `${JSON.stringify(bom, null, 2)}\n`,
    [MATERIALS.licenses]: toLicenses(packages, duckdb),
  };
}
