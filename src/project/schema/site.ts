import * as v from 'valibot';
import { isMemory, LEAST_MEMORY_MB } from '../memory.ts';
import { ENGINES, EXTENSION_REPOS, ISOLATIONS, ON_AUDIT_ERROR, SCHEMA_PROFILES } from '../site-model.ts';
import { POLICIES, SCAN_LIMITS } from './endpoint.ts';
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
  text,
  VERSION_ONE,
  whole,
  word,
} from './shape.ts';

const PATH = v.pipe(
  word(),
  v.check(
    (path) => !/\$\{|^(vault|op|file):\/\//.test(path),
    says(
      'reference',
      'is a reference, which the site file cannot contain.',
      'Write the path; environment variables such as SVC_DATABASE_PATH override it.',
    ),
  ),
);

/** One text for SQL and findings: quoted wherever it is used. */
const ATTACHED_NAME = formed(
  /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
  'a name of letters, digits and `_`',
  'SQL names the database by it; choose one such as lake.',
);

const ATTACHMENT = strictMap(
  {
    name: ATTACHED_NAME,
    uri: PATH,
    data_path: optional(PATH),
    secret: optional(word()),
    readonly: optional(flag()),
    required: optional(flag()),
  },
  {
    path: 'Call it `uri`.',
    type: 'The `uri` says it, as in `sqlite:data/a.sqlite`.',
    alias: 'Call it `name`.',
  },
);

const PROFILE_NAME = formed(
  /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/,
  'a name of letters, digits, `_`, `.` and `-`',
  'Choose a name such as default, because it becomes part of file names.',
);

const USER_CONFIG = 'Move it to the user configuration, ~/.svc/config.yml.';

const EXTENSION_NAME = formed(/^[A-Za-z]\w*$/, 'the name of an extension', 'Write one such as httpfs.');

const EXTENSION_REPO = formed(
  new RegExp(String.raw`^(?:${EXTENSION_REPOS.join('|')})$|^https?://\S+$|^(?!\w+://)[^$]*/`),
  `${EXTENSION_REPOS.join(', ')}, an address, or a folder with a \`/\``,
  'Write a name, an address such as https://example.com/extensions, or a folder such as ./extensions.',
);

const EXTENSION = v.pipe(
  v.unknown(),
  v.transform((value) => (typeof value === 'string' ? { name: value } : value)),
  strictMap({ name: EXTENSION_NAME, repo: optional(EXTENSION_REPO) }),
  v.metadata({ or: EXTENSION_NAME }),
);

const PROFILE = strictMap(
  {
    database: optional(
      strictMap({
        path: optional(PATH),
        readonly: optional(flag()),
        engine: optional(choice(ENGINES)),
        isolation: optional(choice(ISOLATIONS)),
        memory_limit: optional(memory()),
        sandbox: optional(flag()),
        attach: optional(listOf(ATTACHMENT)),
        use: optional(ATTACHED_NAME),
      }),
    ),
    extensions: optional(listOf(EXTENSION)),
    python: optional(strictMap({ interpreter: optional(PATH) })),
    drift: optional(strictMap({ path: optional(PATH) })),
    audit: optional(
      strictMap({
        enabled: optional(flag()),
        path: optional(PATH),
        max_file_size: optional(whole(1_024)),
        retention_days: optional(whole(1)),
        on_error: optional(choice(ON_AUDIT_ERROR)),
        inputs: optional(flag()),
        outputs: optional(flag()),
      }),
    ),
  },
  { auth: USER_CONFIG, secrets: USER_CONFIG, telemetry: USER_CONFIG, duckdb: 'Call it `database`.' },
);

const FOLDER = v.pipe(
  PATH,
  v.transform((path) => path.replace(/^(\.\/)+/, '').replace(/\/+$/, '') || '.'),
);

/** A folder of endpoints. It must be inside the project, because a build contains nothing else. */
const OWN_FOLDER = v.pipe(
  FOLDER,
  v.check(
    (path) => !path.startsWith('/') && !path.split('/').includes('..'),
    says('wrong-value', 'must be a folder inside the project.', 'Write a path such as api/tools.'),
  ),
);

const FOLDERS = optional(listOrOne(word()));
const SQL_TOOL = optional(strictMap({ description: optional(word()), policies: optional(POLICIES) }));

const TABLE_RULE = strictMap(
  {
    name: word(),
    to: optional(word()),
    rows: optional(word()),
    hide: optional(listOrOne(word())),
    mask: optional(listOrOne(word())),
  },
  { condition: 'Call it `rows`.', fields: 'Call it `hide` or `mask`.', table: 'Call it `name`.' },
);

const IN_PROFILE = 'Move it into a profile: `profiles:`, then the name of the profile, then this key.';

/** `svc-site.yml` (spec, "Site configuration file"). */
export const SITE_FILE = strictMap(
  {
    svc: VERSION_ONE,
    project: word(),
    profile: PROFILE_NAME,
    profiles: optional(mapOf(optional(PROFILE), PROFILE_NAME)),
    paths: optional(
      strictMap({
        tools: optional(OWN_FOLDER),
        resources: optional(OWN_FOLDER),
        prompts: optional(OWN_FOLDER),
        skills: optional(OWN_FOLDER),
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
    limits: optional(strictMap(SCAN_LIMITS)),
    tool_search: optional(flag()),
    schema_profile: optional(choice(SCHEMA_PROFILES)),
    sql_tools: optional(
      strictMap({
        enabled: optional(flag()),
        attached: optional(flag()),
        tables: optional(listOf(TABLE_RULE)),
        execute_sql_query: SQL_TOOL,
        list_tables: SQL_TOOL,
        get_table_schema: SQL_TOOL,
      }),
    ),
  },
  {
    transport: USER_CONFIG,
    vault: USER_CONFIG,
    onepassword: USER_CONFIG,
    models: USER_CONFIG,
    projects: USER_CONFIG,
    database: IN_PROFILE,
    python: IN_PROFILE,
    drift: IN_PROFILE,
    audit: IN_PROFILE,
  },
);

export type ParsedSiteFile = v.InferOutput<typeof SITE_FILE>;
export type ParsedProfile = v.InferOutput<typeof PROFILE>;

/** An amount of memory: a text with its unit, or a number of megabytes. */
function memory() {
  return v.pipe(
    v.unknown(),
    v.transform((value) => (typeof value === 'number' ? `${value}MB` : value)),
    text(),
    v.check(
      isMemory,
      says(
        'wrong-value',
        `must be an amount of memory of ${LEAST_MEMORY_MB}MB or more.`,
        'Write one such as 512MB.',
      ),
    ),
    v.metadata({ kind: 'amount', or: whole(LEAST_MEMORY_MB) }),
  );
}
