import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { ENGINE_VERSION } from '../../adapters/node/database/database-file.ts';
import { BUNDLED_FROM } from '../bundle.ts';
import { MATERIALS } from '../targets/target.ts';
import { type EngineFacts, type ExtensionFacts, toBom } from './cyclonedx.ts';
import { toLicenses } from './licenses.ts';
import { type Package, packagesOf } from './packages.ts';

/** The identity of an artefact in its bill of materials. */
interface Artefact {
  readonly project: string;
  readonly target: string;
  readonly hash: string;
  readonly version: string;
}

/** The engine of an artefact, and the packages that are copied beside its bundles. */
interface EngineMaterials {
  /** The folder of the wasm engine; null for the native engine, whose driver is among the copied packages. */
  readonly engine: string | null;
  readonly copied?: readonly Package[];
  /** DuckDB's extensions. */
  readonly extensions?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** The bill of materials and the licences, made from the bundled modules and the engine. */
export function materialFiles(
  artefact: Artefact,
  metafiles: readonly Metafile[],
  { engine: engineFolder, copied = [], extensions = [] }: EngineMaterials,
): { readonly [path: string]: string } {
  const packages = [...packagesOf(metafiles, BUNDLED_FROM), ...copied];
  const engine = engineFolder === null ? null : engineFacts(engineFolder);
  const facts = extensions.map(toExtension);
  const bom = toBom({ ...artefact, packages, engine, extensions: facts });
  const duckdb =
    engineFolder === null || engine === null
      ? []
      : [
          {
            name: `duckdb.wasm, of @duckdb/duckdb-wasm@${engine.version} (MIT)`,
            text: readFileSync(join(engineFolder, 'LICENSE.duckdb.txt'), 'utf8').trim(),
          },
        ];
  return {
    [MATERIALS.bom]: `${JSON.stringify(bom, null, 2)}\n`,
    [MATERIALS.licenses]: toLicenses(packages, [...duckdb, ...facts.map((fact) => toLicensed(fact, copied))]),
  };
}

/** The extensions that the DuckDB team publishes under DuckDB's own licence. Others have that of their publishers. */
const OWN_EXTENSIONS = new Set(
  'autocomplete avro aws azure delta ducklake encodings excel fts httpfs iceberg icu inet json parquet postgres_scanner sqlite_scanner vss'.split(
    ' ',
  ),
);

function toExtension({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }): ExtensionFacts {
  return {
    name,
    version: ENGINE_VERSION,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    license: OWN_EXTENSIONS.has(name) ? 'MIT' : null,
  };
}

/** DuckDB's own extensions have the text of its driver, which lies beside them. */
function toLicensed({ name, version, license }: ExtensionFacts, copied: readonly Package[]) {
  const driver = copied.find((used) => used.name.startsWith('@duckdb/'))?.text;
  return {
    name: `duckdb-extension-${name}@${version} (${license ?? 'see its publisher'})`,
    text: (license === null ? undefined : driver) ?? 'Ask the publisher of this extension for its licence.',
  };
}

/** Reads `artefact.json` beside the engine. */
function engineFacts(folder: string): EngineFacts {
  const { inputs, outputs }: Described = JSON.parse(readFileSync(join(folder, 'artefact.json'), 'utf8'));
  const wasm = Object.entries(outputs).filter(([file]) => file.endsWith('.wasm'));
  const files = Object.fromEntries(wasm.map(([file, { sha256 }]) => [file, sha256]));
  return { version: inputs['@duckdb/duckdb-wasm'], files };
}

interface Described {
  readonly inputs: { readonly '@duckdb/duckdb-wasm': string };
  readonly outputs: { readonly [file: string]: { readonly sha256: string } };
}
