import { MASK } from '../../policy/fields.ts';

const RULE: Readonly<Record<string, string>> = {
  condition: 'CEL condition; the rule applies if it is true.',
  action: 'Action of the rule.',
  reason: 'Reason for a denial, which the caller receives.',
  'fields[]': 'Fields of the rule.',
};

function sqlTool(name: string): Readonly<Record<string, string>> {
  const prefix = `sql_tools.${name}`;
  const rules = ['input', 'output'].flatMap((side) =>
    Object.entries(RULE).map(([key, text]) => [`${prefix}.policies.${side}[].${key}`, text]),
  );
  return {
    [`${prefix}.description`]: `Replaces the description of \`${name}\`.`,
    ...Object.fromEntries(rules),
  };
}

/** The meaning of each key of `svc-site.yml` that has a value. The reference and the editor schema need every entry. */
export const SITE_WORDS: Readonly<Record<string, string>> = {
  svc: 'Version of the file. Required.',
  project: 'Name of the project; the key under `projects` in the user file. Required.',
  profile: 'Default profile; `--profile` and `SVC_PROFILE` override it. Required.',
  'profiles.<profile>.database.path': 'Database file, relative to the project.',
  'profiles.<profile>.database.readonly': 'Open the database for reading only.',
  'profiles.<profile>.database.engine':
    '`native` writes and loads extensions, `wasm` reads; `auto` selects `native` for databases that are written.',
  'profiles.<profile>.database.isolation':
    'Where a server runs the `native` engine: `process` in a process of its own, whose crash ends no server; `none` in the server; `auto` selects `process` where `sql_tools` let callers write SQL. If the database is read-only, `auto` keeps the SQL of endpoints in the server. `wasm` ignores this, because it has threads of its own.',
  'profiles.<profile>.database.memory_limit':
    'Memory limit of queries: `512MB`, or a number of megabytes. With `wasm` it applies to each of up to 4 threads. A process of `database.isolation` ends at 512 MB above it. Default: 80 % of the machine with `native`, 512MB with `wasm`. Artefacts with `wasm` take up to 2GB, and up to 60 % of the memory of a function on Lambda or Vercel. Their default on Lambda, Vercel and Deno is 64MB, and 256MB where Node or Lambda reads the database by ranges. On Workers, the engine always has 64MB.',
  'profiles.<profile>.database.sandbox':
    'Confine SQL to the database: no files, no network, no ATTACH, COPY or INSTALL. SQL is confined anyway, unless `extensions` names an extension for outside data.',
  'profiles.<profile>.database.attach[].name': 'How SQL names the attached database.',
  'profiles.<profile>.database.attach[].uri':
    'The database: a `.duckdb` file or its `s3://` or `https://` address, `sqlite:<file>`, `postgres:<connection string>`, or `ducklake:` before one of these. It holds no credential.',
  'profiles.<profile>.database.attach[].data_path':
    'Where a DuckLake keeps its files; a lake that exists knows it.',
  'profiles.<profile>.database.attach[].secret': 'The secret of the user file that opens it.',
  'profiles.<profile>.database.attach[].readonly': '`false` lets endpoints write to it. The default is true.',
  'profiles.<profile>.database.attach[].required':
    '`false` lets the server start without it; calls that need it fail and connect again. The default is true.',
  'profiles.<profile>.database.use': 'The attached database that unqualified names in SQL mean.',
  'profiles.<profile>.extensions[].name': 'DuckDB extension that only this profile loads.',
  'profiles.<profile>.extensions[].repo': 'Source of the extension, as for `extensions[].repo`.',
  'profiles.<profile>.python.interpreter':
    "Interpreter for Python endpoints: a name on the path, a path (relative to the project), or `pyodide`. Default: the project's `.venv`, else python3.",
  'profiles.<profile>.drift.path': 'Drift snapshot.',
  'profiles.<profile>.audit.enabled': 'Write the audit log.',
  'profiles.<profile>.audit.path': 'Audit log, JSON Lines.',
  'profiles.<profile>.audit.max_file_size': 'Size in bytes at which the audit log is rotated.',
  'profiles.<profile>.audit.retention_days':
    'Days after which the server deletes rotated files. Default: never.',
  'profiles.<profile>.audit.on_error':
    'Behaviour if the audit log cannot be written: `block` rejects calls, `warn` logs and continues.',
  'profiles.<profile>.audit.inputs': 'Record the parameters of calls, sensitive ones redacted.',
  'profiles.<profile>.audit.outputs': 'Record the results of calls, sensitive fields redacted.',
  'paths.tools': 'Folder of tools.',
  'paths.resources': 'Folder of resources.',
  'paths.prompts': 'Folder of prompts.',
  'paths.skills': 'Folder of [skills](../how-to/write-skills.md).',
  'paths.evals': 'Folder of evaluations.',
  'paths.python': 'Folder of Python modules.',
  'paths.plugins': 'Accepted from MXCP projects; svc loads no plugins.',
  'paths.sql': 'Folder of SQL files.',
  'paths.drift': 'Folder of drift snapshots.',
  'paths.audit': 'Folder of audit logs.',
  'paths.data': 'Folder of databases.',
  'secrets[]': 'Name of a secret that the project needs; its values are in the user file.',
  'plugin[].name': 'Name of a plugin of MXCP; svc loads no plugins.',
  'plugin[].module': 'Module of the plugin.',
  'plugin[].config': 'Name of its configuration under `plugin.config` of the user file.',
  'limits.scan_rows':
    'Most rows that a statement may scan. A statement whose plan estimates more is refused before it runs.',
  'limits.scan_bytes': 'Most bytes that a statement may scan, likewise; on the native engine.',
  'extensions[].name': 'DuckDB extension; a single word names a core extension.',
  'extensions[].repo':
    "Source of the extension: a folder such as `./extensions`, an address, or one of DuckDB's own repositories. Without it, and without `SVC_EXTENSION_REPOSITORY`, nothing is downloaded.",
  'dbt.enabled': 'Use dbt.',
  'dbt.model_paths[]': 'Folders of models.',
  'dbt.analysis_paths[]': 'Folders of analyses.',
  'dbt.test_paths[]': 'Folders of tests.',
  'dbt.seed_paths[]': 'Folders of seeds.',
  'dbt.macro_paths[]': 'Folders of macros.',
  'dbt.snapshot_paths[]': 'Folders of snapshots.',
  'dbt.target_path': 'Folder that dbt writes to.',
  'dbt.clean_targets[]': 'Folders that `dbt clean` removes.',
  tool_search:
    'Show clients two tools in place of all: `search` finds tools, and `call` runs one. For projects of more than about 30 tools.',
  schema_profile:
    "The form of the schemas of arguments that clients see: `gemini` is for converters of Google's SDKs. Leave it out for all other clients.",
  'sql_tools.enabled': 'Serve the built-in SQL tools.',
  'sql_tools.attached': 'Let the SQL tools see the databases under `database.attach`.',
  'sql_tools.tables[].name': 'A table or view as `list_tables` shows it.',
  'sql_tools.tables[].to':
    'Condition over `user`: the rule is for these callers. Without it, the rule is for every caller.',
  'sql_tools.tables[].rows':
    'Condition over columns and `user`: the caller sees the rows for which it is true.',
  'sql_tools.tables[].hide[]': 'A column that the caller does not see.',
  'sql_tools.tables[].mask[]': `A column whose values the caller sees as \`${MASK}\`.`,
  ...sqlTool('execute_sql_query'),
  ...sqlTool('list_tables'),
  ...sqlTool('get_table_schema'),
};

/** The meaning of the keys that contain other keys. */
export const SITE_BLOCKS: Readonly<Record<string, string>> = {
  profiles: 'Settings by profile.',
  'profiles.<profile>.database': 'The database.',
  'profiles.<profile>.database.attach':
    "Databases beside the project's own; the native engine attaches them at start.",
  'profiles.<profile>.extensions': "DuckDB extensions of this profile, in addition to the project's.",
  'profiles.<profile>.python': 'Settings of Python endpoints.',
  'profiles.<profile>.drift': 'The drift snapshot.',
  'profiles.<profile>.audit': 'The audit log.',
  paths: 'Folders of the project that differ from the defaults.',
  secrets: 'Names of the secrets that the project needs; their values are in the user file.',
  plugin: 'Accepted from MXCP projects; svc loads no plugins.',
  extensions: 'DuckDB extensions.',
  limits: 'Limits of every endpoint, the SQL tools included. `limits` of an endpoint takes precedence.',
  dbt: 'The folders of dbt.',
  sql_tools: 'The built-in SQL tools.',
  'sql_tools.tables':
    'The only tables and views that the SQL tools see. The first rule for a table whose `to` is true counts.',
  'sql_tools.execute_sql_query': 'The tool that runs a statement.',
  'sql_tools.list_tables': 'The tool that lists tables.',
  'sql_tools.get_table_schema': 'The tool that describes a table.',
};
