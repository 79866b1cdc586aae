import { TARGET_CHOICES, TARGET_NAMES, TARGETS, toChoice } from '../deploy/targets/targets.ts';
import { listTransports, TRANSPORT_NAMES } from '../src/transports.ts';
import type { Command, Option } from './command.ts';

const PROFILE: Option = {
  flags: '--profile <name>',
  summary: 'profile of svc-site.yml (default: SVC_PROFILE, then `profile` of the file)',
};
const JSON_OUT: Option = { flags: '--json', summary: 'print one JSON document on stdout' };
const DEBUG: Option = { flags: '--debug', summary: 'show stack, cause and debug log' };

const KINDS = ['tool', 'resource', 'prompt'];
const SEVERITIES = ['error', 'warning', 'info'];

const QUIET: Option = { flags: '--quiet', summary: 'log no line for each call' };

const USER: Option = { flags: '--user-context <json>', summary: 'simulate a user: JSON, or @file.json' };
const TARGET: Option = {
  flags: '--target <target>',
  summary: `the engine or platform that will serve: ${toChoice(TARGET_CHOICES)}`,
  values: TARGET_CHOICES,
};
const EXPERIMENTAL = TARGET_NAMES.filter((target) => TARGETS[target].python === 'experimental');
const ENGINE: Option = {
  flags: '--engine <name>',
  summary:
    'wasm or native: native attaches databases, loads extensions, and runs on one processor (default: wasm)',
  values: ['wasm', 'native'],
};
const PUBLIC: Option = {
  flags: '--public',
  summary: 'let everybody call a server without sign-in, also from other machines',
};
const PLATFORM: Option = {
  flags: '--target <platform>',
  summary: toChoice(TARGET_NAMES),
  values: TARGET_NAMES,
};

/**
 * Every command of `svc` in the order of `--help` (spec, "Command-line operations"). It is only data, so it may be
 * long.
 */
export const COMMANDS: readonly Command[] = [
  {
    usage: 'init [dir]',
    summary: 'create a project',
    options: [
      { flags: '--bootstrap', summary: 'with an example tool and its test' },
      {
        flags: '--from <file>',
        summary:
          'with the tables of a DuckDB, CSV, TSV, JSON or Parquet file, and a tool for each; repeatable; table=path names the table',
        repeat: true,
      },
      {
        flags: '--from-toolbox <file>',
        summary:
          'with the SQL tools and prompts of a tools.yaml of MCP Toolbox; names each thing that it leaves out',
      },
      { flags: '--project <name>', summary: 'project name (default: the name of the folder)' },
      { flags: '--profile <name>', summary: 'profile name (default: default)' },
      { flags: '--yes', summary: 'ask nothing' },
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc init --bootstrap demo --yes',
    load: () => import('./commands/init.ts'),
  },
  {
    usage: 'convert <file> [out]',
    summary: 'copy a database of a newer DuckDB into a file that svc reads',
    options: [
      { flags: '--force', summary: 'replace [out]; the original too, if both are the same file' },
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc convert sales.duckdb data/db-default.db',
    busy: 'converting',
    load: () => import('./commands/convert.ts'),
  },
  {
    usage: 'migrate <dir>',
    summary: 'convert an MXCP project into a new folder',
    options: [
      {
        flags: '--write',
        summary: 'write to <dir>-svc (default: only show the plan)',
      },
      { flags: '--out <dir>', summary: 'write to this folder, which must be new or empty' },
      {
        flags: '--config <file>',
        summary: 'user file to convert too (default: MXCP_CONFIG, then ~/.mxcp/config.yml if it exists)',
      },
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc migrate ../analytics --out ../analytics-svc',
    busy: 'migrating',
    load: () => import('./commands/migrate.ts'),
  },
  {
    usage: 'serve',
    summary: 'run the server',
    options: [
      { flags: '--transport <provider>', summary: listTransports(), values: TRANSPORT_NAMES },
      { flags: '--port <int>', summary: 'port to listen on, 0 for any (default: 8000)' },
      { flags: '--host <host>', summary: 'address to listen on (default: 127.0.0.1)' },
      PUBLIC,
      PROFILE,
      { flags: '--stateless', summary: 'keep no state between requests, and open the database read-only' },
      { flags: '--tags <tags>', summary: 'serve only endpoints with one of these tags: orders,stock' },
      QUIET,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc serve --port 8000',
    load: () => import('./commands/serve.ts'),
  },
  {
    usage: 'dev',
    summary: 'run the server while you edit: changed files are checked and served at once',
    options: [
      { flags: '--port <int>', summary: 'port to listen on, 0 for any (default: 8000)' },
      { flags: '--host <host>', summary: 'address to listen on (default: 127.0.0.1)' },
      PUBLIC,
      PROFILE,
      QUIET,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc dev --port 8000',
    load: () => import('./commands/dev.ts'),
  },
  {
    usage: 'run <kind> <name>',
    words: KINDS,
    summary: 'run one tool, resource or prompt',
    options: [
      { flags: '--param <key=value>', summary: 'an argument, or key=@file.json; repeatable', repeat: true },
      USER,
      { flags: '--skip-output-validation', summary: 'do not check the result against `return`' },
      TARGET,
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc run tool hello_world --param name=Ada',
    busy: 'running',
    load: () => import('./commands/run.ts'),
  },
  {
    usage: 'list',
    summary: 'list endpoints',
    options: [PROFILE, JSON_OUT, DEBUG],
    example: 'svc list',
    busy: 'reading the project',
    load: () => import('./commands/list.ts'),
  },
  {
    usage: 'validate [file]',
    summary: 'check endpoints and configuration',
    options: [
      TARGET,
      { flags: '--locked', summary: 'also compare the endpoints, as clients see them, with svc-lock.json' },
      { flags: '--offline', summary: 'do not fail for remote data that cannot be reached' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc validate tools/hello_world.yml',
    busy: 'checking the project',
    load: () => import('./commands/validate.ts'),
  },
  {
    usage: 'config',
    summary: 'show every setting and where it comes from',
    options: [
      PROFILE,
      { flags: '--transport <provider>', summary: 'as for `svc serve`', values: TRANSPORT_NAMES },
      { flags: '--port <int>', summary: 'as for `svc serve`' },
      { flags: '--host <host>', summary: 'as for `svc serve`' },
      { flags: '--stateless', summary: 'as for `svc serve`' },
      { flags: '--public', summary: 'as for `svc serve`' },
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc config --json',
    busy: 'reading the settings',
    load: () => import('./commands/config.ts'),
  },
  {
    usage: 'admin [path]',
    summary: 'ask a running server: status, reload, config, endpoints, audit/stats ...',
    options: [
      { flags: '--socket <path>', summary: 'admin socket of the server (default: SVC_ADMIN_SOCKET)' },
      {
        flags: '--web',
        summary: 'open the workbench, which watches the server, to browsers on this machine',
      },
      { flags: '--port <int>', summary: 'with --web: the port (default: any free one)' },
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc admin reload',
    load: () => import('./commands/admin.ts'),
  },
  {
    usage: 'test [kind] [name]',
    words: KINDS,
    summary: 'run the tests of endpoints',
    options: [USER, TARGET, PROFILE, JSON_OUT, DEBUG],
    example: 'svc test tool hello_world',
    busy: 'testing',
    load: () => import('./commands/test.ts'),
  },
  {
    usage: 'evals [suite]',
    summary: 'let models use the endpoints, and check the outcome',
    options: [
      { flags: '--model <name>', summary: "use this model of the user file instead of the suites' own" },
      USER,
      { flags: '--concurrency <n>', summary: 'number of tests that run at a time (default: 4)' },
      { flags: '--junit <file>', summary: 'write the results as JUnit XML too' },
      { flags: '--out <dir>', summary: 'folder of the transcripts (default: evals/transcripts)' },
      TARGET,
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc evals shop --model gpt-4.1 --junit evals.xml',
    busy: 'evaluating',
    load: () => import('./commands/evals.ts'),
  },
  {
    usage: 'lint',
    summary: 'report missing metadata',
    options: [
      {
        flags: '--severity <severity>',
        summary: 'show this severity and above: error, warning or info (default); what fails is always shown',
        values: SEVERITIES,
      },
      {
        flags: '--fail-on <severity>',
        summary: 'exit with 1 for this severity and above (default: error)',
        values: SEVERITIES,
      },
      { flags: '--tokens', summary: 'estimate the tokens that the tools cost in the context of a model' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc lint --fail-on warning',
    busy: 'reading the project',
    load: () => import('./commands/lint.ts'),
  },
  {
    usage: 'drift-snapshot',
    summary: 'write the drift baseline: tables, endpoints and test outcomes',
    options: [PROFILE, JSON_OUT, DEBUG],
    example: 'svc drift-snapshot && git add drift',
    busy: 'taking a snapshot',
    load: () => import('./commands/drift-snapshot.ts'),
  },
  {
    usage: 'drift-check',
    summary: 'compare tables, endpoints and tests with the drift baseline',
    options: [
      {
        flags: '--baseline <file>',
        summary: 'the baseline to compare with (default: `drift.path` of the profile)',
      },
      { flags: '--fail-on <changes>', summary: 'exit with 1 for breaking changes, or for any (default)' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc drift-check --fail-on breaking',
    busy: 'comparing with the baseline',
    load: () => import('./commands/drift-check.ts'),
  },
  {
    usage: 'lock',
    summary: 'record the endpoints as clients see them, for `svc validate --locked` and `svc build`',
    options: [PROFILE, JSON_OUT, DEBUG],
    example: 'svc lock && git add svc-lock.json',
    busy: 'locking',
    load: () => import('./commands/lock.ts'),
  },
  {
    usage: 'policy <action>',
    words: ['matrix'],
    summary: 'matrix: which users may call which endpoints and see which fields',
    options: [
      {
        flags: '--user-context <json>',
        summary: "a user: JSON, or @file.json with one or a list; repeatable (default: the tests' users)",
        repeat: true,
      },
      { flags: '--role <name>', summary: 'a user with only this role; repeatable', repeat: true },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc policy matrix --role analyst --role manager',
    busy: 'reading the policies',
    load: () => import('./commands/policy.ts'),
  },
  {
    usage: 'query [sql]',
    summary: 'run one SQL statement',
    options: [
      { flags: '--file <path>', summary: 'a file with the statement' },
      {
        flags: '--param <key=value>',
        summary:
          'a value for $key, or key=@file: true, null, a JSON list or object, or a plain number such as 7 or -2.50; anything else, such as 007 or 1e5, is text; repeatable',
        repeat: true,
      },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: "svc query 'SELECT * FROM customers WHERE id = $id' --param id=7",
    busy: 'running the query',
    load: () => import('./commands/query.ts'),
  },
  {
    usage: 'log',
    summary: 'query the audit log',
    options: [
      {
        flags: '--since <time>',
        summary: 'records since a time: 24h, 7d, 2026-08-01 or 2026-08-01T12:00; UTC',
      },
      { flags: '--until <time>', summary: 'records until a time, written as for --since' },
      { flags: '--tool <name>', summary: 'calls of one tool' },
      { flags: '--resource <uri>', summary: 'reads of one resource, by its URI template' },
      { flags: '--prompt <name>', summary: 'calls of one prompt' },
      { flags: '--type <type>', summary: 'tool, resource or prompt', values: KINDS },
      { flags: '--status <status>', summary: 'success or error', values: ['success', 'error'] },
      { flags: '--policy <decision>', summary: 'allow, deny or n/a', values: ['allow', 'deny', 'n/a'] },
      { flags: '--user <id>', summary: 'calls of one user' },
      { flags: '--limit <n>', summary: 'show at most this many records (default: 100)' },
      { flags: '--stats', summary: 'show totals, and bars of calls by hour and by endpoint' },
      { flags: '--export-csv <file>', summary: 'write all matching records as CSV' },
      {
        flags: '--export-duckdb <file>',
        summary: 'write all matching records into the table `logs` of a database',
      },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc log --since 24h --status error',
    busy: 'reading the log',
    load: () => import('./commands/log.ts'),
  },
  {
    usage: 'log-cleanup',
    summary: 'delete old audit files',
    options: [
      { flags: '--older-than <time>', summary: 'e.g. 30d (default: audit.retention_days, or 90d)' },
      { flags: '--dry-run', summary: 'show the files without deleting them' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc log-cleanup --dry-run',
    busy: 'cleaning the log',
    load: () => import('./commands/log-cleanup.ts'),
  },
  {
    usage: 'replay <file>',
    summary: 'repeat the recorded reads of an audit file, and report different results',
    options: [
      { flags: '--against <target>', summary: 'a folder that `svc build` wrote, or the URL of a server' },
      { flags: '--limit <n>', summary: 'repeat only this many records of the file (default: all)' },
      {
        flags: '--token-env <name>',
        summary: 'the variable with the token for a URL (default: SVC_REPLAY_TOKEN)',
      },
      USER,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc replay audit/logs-default.jsonl --against build/node',
    busy: 'replaying',
    load: () => import('./commands/replay.ts'),
  },
  {
    usage: 'schema [file]',
    words: ['endpoint', 'site', 'evals', 'python'],
    summary: 'JSON Schema for editors: endpoint (default), site or evals; python: types of svc.runtime',
    options: [{ flags: '--out <file>', summary: 'file to write to (default: stdout)' }, JSON_OUT, DEBUG],
    example: 'svc schema --out .svc/endpoint.schema.json',
    busy: 'reading the schema',
    load: () => import('./commands/schema.ts'),
  },
  {
    usage: 'auth <action> [name]',
    words: ['keygen', 'api-key'],
    summary: 'keygen: print a new key for sealing tokens; api-key: one for a machine, with its entry',
    options: [
      { flags: '--scope <scope>', summary: 'a scope that the API key holds; repeatable', repeat: true },
      { flags: '--expires <time>', summary: 'end of the API key, such as 2027-01-31 (default: none)' },
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc auth api-key nightly-report --scope sales:read --expires 2027-01-31',
    load: () => import('./commands/auth.ts'),
  },
  {
    usage: 'doctor [what]',
    words: ['auth'],
    summary: 'find problems of this machine; with an address: of that server; auth: of signing in',
    options: [
      { flags: '--url <url>', summary: 'address of the server (auth: default from the settings)' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc doctor https://mcp.example.com',
    busy: 'looking for problems',
    load: () => import('./commands/doctor.ts'),
  },
  {
    usage: 'call [name]',
    summary: 'call a tool of a running server, as its clients do',
    options: [
      {
        flags: '--url <url>',
        summary: 'address of the server (default: from the settings, else http://127.0.0.1:8000)',
      },
      { flags: '--param <key=value>', summary: 'an argument, or key=@file.json; repeatable', repeat: true },
      { flags: '--list', summary: 'list the tools, resources and prompts of the server' },
      { flags: '--resource', summary: 'the name is the URI of a resource; --param fills its placeholders' },
      { flags: '--prompt', summary: 'the name is the name of a prompt' },
      { flags: '--token-env <variable>', summary: 'variable that holds a token' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc call hello_world --param name=Ada',
    load: () => import('./commands/call.ts'),
  },
  {
    usage: 'inspect',
    summary: "open the MCP project's Inspector on this project, or on a running server",
    options: [
      {
        flags: '--url <url>',
        summary: 'address of a running server (default: the Inspector starts one over stdio)',
      },
      { flags: '--print', summary: 'only print the command' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc inspect --url http://127.0.0.1:8000',
    load: () => import('./commands/inspect.ts'),
  },
  {
    usage: 'completion <shell>',
    words: ['bash', 'zsh', 'fish'],
    summary: 'print a script that completes svc in bash, zsh or fish',
    options: [JSON_OUT, DEBUG],
    example: 'source <(svc completion bash)',
    load: async () => ({ run: (await import('./commands/completion.ts')).completionOf(COMMANDS) }),
  },
  {
    usage: 'connect <client>',
    words: ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini'],
    summary: 'connect a client to this project: claude-desktop, claude-code, cursor, vscode, codex or gemini',
    options: [
      {
        flags: '--write',
        summary: "merge the entry into the client's own file, and keep a copy of the old file",
      },
      { flags: '--dry-run', summary: 'show the changes of --write without making them' },
      {
        flags: '--url <url>',
        summary: 'address of a running server (default: the client starts svc itself)',
      },
      {
        flags: '--name <name>',
        summary: 'name of the server in the client (default: the name of the project)',
      },
      {
        flags: '--scope <scope>',
        summary: 'user (default), or project: the file in this folder',
        values: ['user', 'project'],
      },
      { flags: '--file <path>', summary: 'use this file of the client' },
      { flags: '--force', summary: 'replace another server of that name' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc connect claude-desktop --write',
    load: () => import('./commands/connect.ts'),
  },
  {
    usage: 'dbt [args...]',
    summary: "run dbt on the project's database, with its secrets; all other words go to dbt",
    options: [{ ...PROFILE, summary: `${PROFILE.summary}; goes before dbt's first word` }],
    example: 'svc dbt build --select staging+',
    passesOn: true,
    load: () => import('./commands/dbt.ts'),
  },
  {
    usage: 'dbt-config',
    summary: 'write or merge profiles.yml and dbt_project.yml',
    options: [
      { flags: '--dry-run', summary: 'show the changes without making them' },
      { flags: '--force', summary: 'replace existing values' },
      {
        flags: '--profiles-dir <dir>',
        summary: 'folder of profiles.yml (default: DBT_PROFILES_DIR, then beside dbt_project.yml)',
      },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc dbt-config --dry-run',
    busy: 'reading the project',
    load: () => import('./commands/dbt-config.ts'),
  },
  {
    usage: 'build',
    summary: 'write a folder that runs on a platform',
    options: [
      PLATFORM,
      { flags: '--out <dir>', summary: 'folder to write to (default: build/<platform>)' },
      ENGINE,
      {
        flags: '--arch <name>',
        summary: 'processor of a native artefact: x86_64 or arm64',
        values: ['x86_64', 'arm64'],
      },
      {
        flags: '--load <files...>',
        summary: 'CSV, TSV, JSON or Parquet files to load as tables; table=path names the table',
        repeat: true,
      },
      { flags: '--replace', summary: 'let --load replace existing tables' },
      {
        flags: '--sort <table=column>',
        summary: 'sort a table of the artefact, for lookups by ranges; repeatable',
        repeat: true,
      },
      {
        flags: '--store <place>',
        summary:
          'read the database by ranges: from r2 or assets (Workers, r2 above 25 MiB), s3://bucket/folder or https://host/folder (Node, Lambda)',
      },
      { flags: '--config <file>', summary: 'user file to bundle; references only (default: none)' },
      PUBLIC,
      {
        flags: '--experimental-python',
        summary: `build Python endpoints for ${toChoice(EXPERIMENTAL)} too`,
      },
      {
        flags: '--allow <check>',
        summary: 'build although this check fails: lint, secrets, lock, target, tests or drift; repeatable',
        repeat: true,
        values: ['lint', 'secrets', 'lock', 'target', 'tests', 'drift'],
      },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc build --target aws-lambda --config user.yml',
    busy: 'building',
    load: () => import('./commands/build.ts'),
  },
  {
    usage: 'preview',
    summary: 'run an artefact on this machine as its platform would; builds it if it is out of date',
    options: [
      PLATFORM,
      { flags: '--port <int>', summary: 'port to listen on, 0 for any (default: 8000)' },
      { flags: '--out <dir>', summary: 'folder of the artefact (default: build/<platform>)' },
      { ...ENGINE, summary: 'as for `svc build`, for this machine' },
      { flags: '--load <files...>', summary: 'as for `svc build`', repeat: true },
      { flags: '--replace', summary: 'as for `svc build`' },
      { flags: '--config <file>', summary: 'as for `svc build`' },
      { flags: '--experimental-python', summary: 'as for `svc build`' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc preview --target cloudflare-workers',
    load: () => import('./commands/preview.ts'),
  },
];
