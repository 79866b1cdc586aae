/** A database extension. */
export interface Extension {
  readonly name: string;
  /**
   * One of DuckDB's own repositories, or the folder or address of another one. Without it the extension is not
   * downloaded.
   */
  readonly repo?: string;
}

/** Extensions that work on the data in the database. They leave the database closed to the outside. */
const INWARD = new Set([
  'autocomplete',
  'core_functions',
  'fts',
  'icu',
  'inet',
  'jemalloc',
  'json',
  'parquet',
  'tpcds',
  'tpch',
  'vss',
]);

/** Extensions whose only purpose is data outside of the database, with the types of their secrets. */
const OUTWARD: Readonly<Record<string, readonly string[]>> = {
  aws: [],
  azure: ['azure'],
  delta: [],
  ducklake: ['ducklake'],
  httpfs: ['s3', 'r2', 'gcs', 'huggingface'],
  iceberg: ['iceberg'],
  motherduck: ['motherduck'],
  mysql: ['mysql'],
  mysql_scanner: ['mysql'],
  postgres: ['postgres'],
  postgres_scanner: ['postgres'],
  sqlite: [],
  sqlite_scanner: [],
  unity_catalog: ['uc'],
};

/** The types of secrets that these extensions support. */
export const SECRET_TYPES: readonly string[] = Object.values(OUTWARD).flat();

/** Extensions inside of the native engine. They have no file. */
export const BUILT_IN: ReadonlySet<string> = new Set([
  'autocomplete',
  'core_functions',
  'icu',
  'json',
  'parquet',
]);

/** Short names of extensions, with the names of their files. */
const FILES: Readonly<Record<string, string>> = {
  mysql: 'mysql_scanner',
  postgres: 'postgres_scanner',
  sqlite: 'sqlite_scanner',
};

/** Extensions that another one cannot load without. */
const NEEDS: Readonly<Record<string, readonly string[]>> = { iceberg: ['avro'] };

/**
 * The name of an extension's file, without its suffix.
 *
 * @example extensionFileName('postgres') // postgres_scanner
 */
export function extensionFileName(extension: string): string {
  const name = extension.toLowerCase();
  return FILES[name] ?? name;
}

/** The Python package that contains the signed file of a core extension. */
export function packageOfExtension(extension: string): string {
  return `duckdb-extension-${extensionFileName(extension).replaceAll('_', '-')}`;
}

/** An extension to load; `neededBy` names the one that cannot load without it, if the project does not name it itself. */
export interface WantedExtension extends Extension {
  readonly neededBy?: string;
}

/**
 * Adds the extensions that others need, in the order in which they load: httpfs is first, since it downloads others.
 *
 * @example inLoadOrder([{ name: 'iceberg' }]) // [{ name: 'avro', neededBy: 'iceberg' }, { name: 'iceberg' }]
 */
export function inLoadOrder(extensions: readonly Extension[]): readonly WantedExtension[] {
  const ordered: WantedExtension[] = [];
  const add = (extension: WantedExtension): void => {
    const asked = extension.name.toLowerCase();
    if (ordered.some(({ name }) => name.toLowerCase() === asked)) return;
    for (const name of NEEDS[asked] ?? [])
      add(namedIn(extensions, name) ?? { ...extension, name, neededBy: extension.name });
    ordered.push(extension);
  };
  for (const extension of [namedIn(extensions, 'httpfs'), ...extensions]) if (extension) add(extension);
  return ordered;
}

function namedIn(extensions: readonly Extension[], asked: string): Extension | undefined {
  return extensions.find(({ name }) => name.toLowerCase() === asked);
}

/** Whether a project with this extension lets its SQL reach files or the network. */
export function reachesOut(extension: string): boolean {
  return !INWARD.has(extension.toLowerCase());
}

/** Whether an extension is useless in a closed database. */
export function needsOutside(extension: string): boolean {
  return Object.hasOwn(OUTWARD, extension.toLowerCase());
}

/** The extensions that support a type of secret, the usual one first. Empty for types that DuckDB does not know. */
export function extensionsOfSecret(type: string): readonly string[] {
  const asked = type.toLowerCase();
  return Object.keys(OUTWARD).filter((name) => OUTWARD[name]?.includes(asked));
}
