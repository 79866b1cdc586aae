import * as v from 'valibot';

const TEXT = v.pipe(v.string(), v.nonEmpty('must not be empty'));
const NAME = v.pipe(
  TEXT,
  v.regex(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u, 'may hold letters, digits, `_`, `.` and `-` only'),
);
/** A list, or one of its items alone. */
const LIST = v.union(
  [
    v.array(TEXT),
    v.pipe(
      TEXT,
      v.transform((item) => [item]),
    ),
  ],
  'must be a list of texts',
);

const EXTENSION = v.union(
  [TEXT, v.strictObject({ name: TEXT, repo: v.optional(v.picklist(['core', 'community', 'core_nightly'])) })],
  'must be a name or `{name, repo}` with repo core, community or core_nightly',
);

const SQL_TOOL = v.optional(v.strictObject({ description: v.optional(TEXT) }));

const PROFILE = v.strictObject({
  database: v.optional(
    v.strictObject({
      path: v.optional(TEXT),
      readonly: v.optional(v.boolean()),
      engine: v.optional(v.picklist(['auto', 'wasm', 'native'])),
    }),
  ),
  drift: v.optional(v.strictObject({ path: v.optional(TEXT) })),
  audit: v.optional(
    v.strictObject({
      enabled: v.optional(v.boolean()),
      path: v.optional(TEXT),
      max_file_size: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    }),
  ),
});

const FOLDERS = [
  'tools',
  'resources',
  'prompts',
  'evals',
  'python',
  'plugins',
  'sql',
  'drift',
  'audit',
  'data',
] as const;
const PATHS = v.strictObject(
  Object.fromEntries(FOLDERS.map((name) => [name, v.optional(TEXT)])) as Record<
    (typeof FOLDERS)[number],
    ReturnType<typeof v.optional<typeof TEXT, undefined>>
  >,
);

/** The site file, `svc-site.yml` (spec, "Site configuration file"). */
export const SITE_FILE = v.strictObject({
  svc: v.literal(1),
  project: NAME,
  profile: NAME,
  profiles: v.nullish(v.record(v.string(), v.nullish(PROFILE))),
  extensions: v.nullish(v.array(EXTENSION)),
  dbt: v.nullish(
    v.strictObject({
      enabled: v.optional(v.boolean()),
      model_paths: v.optional(LIST),
      analysis_paths: v.optional(LIST),
      test_paths: v.optional(LIST),
      seed_paths: v.optional(LIST),
      macro_paths: v.optional(LIST),
      snapshot_paths: v.optional(LIST),
      target_path: v.optional(TEXT),
      clean_targets: v.optional(LIST),
    }),
  ),
  sql_tools: v.nullish(
    v.strictObject({
      enabled: v.optional(v.boolean()),
      execute_sql_query: SQL_TOOL,
      list_tables: SQL_TOOL,
      get_table_schema: SQL_TOOL,
    }),
  ),
  secrets: v.nullish(LIST),
  paths: v.nullish(PATHS),
});

export type SiteFile = v.InferOutput<typeof SITE_FILE>;
