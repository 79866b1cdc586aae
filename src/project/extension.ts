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
