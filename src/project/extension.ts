/** Extensions that work on what is in the database, so that the database stays closed to everything outside. */
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

/** Extensions that are there for nothing but what lies outside of the database, and the types of their secrets. */
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

/** Whether a project that names the extension means its SQL to reach files or the network. */
export function reachesOut(extension: string): boolean {
  return !INWARD.has(extension.toLowerCase());
}

/** Whether an extension can do nothing in a database that is closed. */
export function needsOutside(extension: string): boolean {
  return Object.hasOwn(OUTWARD, extension.toLowerCase());
}

/** The extensions that know a type of secret, the usual one first; none for types that no database knows. */
export function extensionsOfSecret(type: string): readonly string[] {
  const asked = type.toLowerCase();
  return Object.keys(OUTWARD).filter((name) => OUTWARD[name]?.includes(asked));
}
