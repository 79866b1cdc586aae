import type { JsonObject } from '../../src/json.ts';
import { idOf, type Package, SELF } from './packages.ts';

/** The contents of a bill of materials. */
interface Materials {
  readonly project: string;
  readonly target: string;
  /** The hash of the artefact. The same artefact has the same bill. */
  readonly hash: string;
  /** Version of this toolkit. */
  readonly version: string;
  readonly packages: readonly Package[];
  /** The wasm engine; null if the artefact has the native one, which is a package. */
  readonly engine: EngineFacts | null;
  readonly extensions?: readonly ExtensionFacts[];
}

/** A file of DuckDB's repository of extensions. */
export interface ExtensionFacts {
  readonly name: string;
  /** The DuckDB that it is made for. */
  readonly version: string;
  readonly sha256: string;
  /** The id of its licence by SPDX; null if it is not known here. */
  readonly license: string | null;
}

const ROOT = 'artefact';

/**
 * The bill of materials of an artefact in CycloneDX 1.6. It has no time, so that the same artefact gives the same
 * bytes.
 */
export function toBom({
  project,
  target,
  hash,
  version,
  packages,
  engine,
  extensions = [],
}: Materials): JsonObject {
  const own = packages
    .filter(({ name, text }) => name === SELF || text !== undefined)
    .map((used) => purlOf(used));
  const copied = [...(engine === null ? [] : [toEngine(engine)]), ...extensions.map(toExtension)];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(hash)}`,
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      tools: { components: [{ type: 'application', name: SELF, version }] },
      component: {
        type: 'application',
        'bom-ref': ROOT,
        name: project,
        version: hash,
        properties: [{ name: 'svc:target', value: target }],
      },
    },
    components: [...packages.map(toComponent), ...copied],
    dependencies: [
      { ref: ROOT, dependsOn: [...own, ...copied.map((component) => component['bom-ref'])] },
      ...packages.map((used) => ({ ref: purlOf(used), dependsOn: used.imports.map(purlOfId) })),
      ...copied.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
    ],
  };
}

function toComponent(used: Package): JsonObject {
  const { name, version, license } = used;
  const [group, plain = name] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: 'library',
    'bom-ref': purlOf(used),
    ...(group === undefined ? {} : { group }),
    name: plain,
    version,
    ...(license === null ? {} : { licenses: [toLicense(license)] }),
    purl: purlOf(used),
  };
}

/** One licence is given by its id, several as an expression. */
function toLicense(license: string): JsonObject {
  return /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license };
}

const engineRef = ({ version }: EngineFacts) => purlOf({ name: '@duckdb/duckdb-wasm', version });

function toEngine(engine: EngineFacts) {
  return {
    type: 'library',
    'bom-ref': engineRef(engine),
    group: '@duckdb',
    name: 'duckdb-wasm',
    version: engine.version,
    licenses: [{ license: { id: 'MIT' } }],
    purl: engineRef(engine),
    pedigree: { notes: 'Functions that are never called are emptied; nothing is added.' },
    components: Object.entries(engine.files).map(([file, sha256]) => ({
      type: 'file',
      name: file,
      hashes: [{ alg: 'SHA-256', content: sha256 }],
    })),
  };
}

function toExtension({ name, version, sha256, license }: ExtensionFacts) {
  const purl = `pkg:generic/duckdb-extension-${name}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name: `duckdb-extension-${name}`,
    version,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    ...(license === null ? {} : { licenses: [toLicense(license)] }),
    purl,
  };
}

/** A package URL (https://github.com/package-url/purl-spec); the @ of a scope is written %40. */
function purlOf(used: Pick<Package, 'name' | 'version'>): string {
  return purlOfId(idOf(used));
}

function purlOfId(id: string): string {
  return `pkg:npm/${id.replace(/^@/, '%40')}`;
}

/** Makes a name-based UUID (RFC 9562, version 8) from a hash. */
function uuidOf(hash: string): string {
  const [a, b, c, d, e] = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(13, 16),
    hash.slice(17, 20),
    hash.slice(20, 32),
  ];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}

/** Facts about the database engine of an artefact. */
export interface EngineFacts {
  /** Version of the package that it is made from. */
  readonly version: string;
  /** The SHA-256 of each file, by the file's name. */
  readonly files: { readonly [file: string]: string };
}
