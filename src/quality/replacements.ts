/** Functions of DuckDB's extensions that the wasm engine lacks, with their replacements. Other functions have none. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [
    /^json_(?:each|tree)$/,
    "Use `unnest(json_extract(x, '$[*]'))` for the items of an array, or `unnest(json_keys(x))` for the names of an object",
  ],
  [/^json_(?:group_)?structure$/, 'Use `json_type(x, path)` for one value at a time'],
  [/^(?:read_(?:nd)?json|read_parquet|parquet_)/, 'Load the files when building, with `svc build --load`'],
  [/^icu_(?:sort_key|collate)|^collation/, 'Use `COLLATE NOCASE` or `COLLATE NOACCENT`'],
  [/^(?:range|generate_series)$/, 'Use `unnest(range(a, b, step))`, or cast both ends to TIMESTAMP'],
  [/^strftime/, "Write UTC in the format in place of '%Z'"],
  [/^strptime/, "Use '%z', an offset such as +02:00, in place of '%Z'"],
  [/^(?:time_bucket|make_timestamptz)/, 'Omit the zone, which then is UTC'],
  [/^AT TIME ZONE/, 'Use UTC, or an offset such as +02:00'],
];

/** The replacement of a missing function, as the beginning of a sentence; null if there is none. */
export function replacementOf(name: string): string | null {
  return REPLACEMENTS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
