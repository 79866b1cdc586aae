import * as v from 'valibot';
import { ENGINES, EXTENSION_REPOS } from '../site-model.ts';
import {
  choice,
  flag,
  formed,
  listOf,
  listOrOne,
  mapOf,
  optional,
  says,
  strictMap,
  whole,
  word,
} from './shape.ts';
import { VERSION_ONE } from './version.ts';

const PATH = v.pipe(
  word(),
  v.check(
    (path) => !/\$\{|^(vault|op|file):\/\//.test(path),
    says(
      'reference',
      'refers to a value from outside, and the site file has none of these.',
      'Write the path; environment variables such as SVC_DATABASE_PATH override it.',
    ),
  ),
);

const DATABASE_PATH = v.pipe(
  PATH,
  v.check(
    (path) => !path.startsWith(':memory:'),
    says(
      'wrong-value',
      'must be a file: a database in memory would be empty at each start.',
      'Name a file such as data/db.db.',
    ),
  ),
);

const PROFILE_NAME = formed(
  /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/,
  'a name of letters, digits, `_`, `.` and `-`',
  'It becomes part of file names; choose one such as default.',
);

const PROFILE = strictMap({
  database: optional(
    strictMap({
      path: optional(DATABASE_PATH),
      readonly: optional(flag()),
      engine: optional(choice(ENGINES)),
    }),
  ),
  drift: optional(strictMap({ path: optional(PATH) })),
  audit: optional(
    strictMap({ enabled: optional(flag()), path: optional(PATH), max_file_size: optional(whole(1_024)) }),
  ),
});

const EXTENSION_NAME = formed(/^[A-Za-z]\w*$/, 'the name of an extension', 'Write one such as httpfs.');

const EXTENSION = v.pipe(
  v.unknown(),
  v.transform((value) => (typeof value === 'string' ? { name: value } : value)),
  strictMap({ name: EXTENSION_NAME, repo: optional(choice(EXTENSION_REPOS)) }),
);

const FOLDER = v.pipe(
  PATH,
  v.transform((path) => path.replace(/^(\.\/)+/, '').replace(/\/+$/, '') || '.'),
);
const FOLDERS = optional(listOrOne(word()));
const DESCRIBED = optional(strictMap({ description: optional(word()) }));

/** `svc-site.yml` (spec, "Site configuration file"). */
export const SITE_FILE = strictMap({
  svc: VERSION_ONE,
  project: word(),
  profile: PROFILE_NAME,
  profiles: optional(mapOf(optional(PROFILE))),
  paths: optional(
    strictMap({
      tools: optional(FOLDER),
      resources: optional(FOLDER),
      prompts: optional(FOLDER),
      evals: optional(FOLDER),
      python: optional(FOLDER),
      plugins: optional(FOLDER),
      sql: optional(FOLDER),
      drift: optional(FOLDER),
      audit: optional(FOLDER),
      data: optional(FOLDER),
    }),
  ),
  secrets: optional(listOrOne(word())),
  plugin: optional(listOf(strictMap({ name: word(), module: word(), config: optional(word()) }))),
  extensions: optional(listOf(EXTENSION)),
  dbt: optional(
    strictMap({
      enabled: optional(flag()),
      model_paths: FOLDERS,
      analysis_paths: FOLDERS,
      test_paths: FOLDERS,
      seed_paths: FOLDERS,
      macro_paths: FOLDERS,
      snapshot_paths: FOLDERS,
      target_path: optional(word()),
      clean_targets: FOLDERS,
    }),
  ),
  sql_tools: optional(
    strictMap({
      enabled: optional(flag()),
      execute_sql_query: DESCRIBED,
      list_tables: DESCRIBED,
      get_table_schema: DESCRIBED,
    }),
  ),
});

export type ParsedSiteFile = v.InferOutput<typeof SITE_FILE>;
export type ParsedProfile = v.InferOutput<typeof PROFILE>;
