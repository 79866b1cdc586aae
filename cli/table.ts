import type { Command, Option } from './command.ts';

const PROFILE: Option = {
  flags: '--profile <name>',
  summary: 'profile of svc-site.yml (default: SVC_PROFILE, then `profile` of the file)',
};
const JSON_OUT: Option = { flags: '--json', summary: 'print one JSON document on stdout' };
const DEBUG: Option = { flags: '--debug', summary: 'show stack, cause and debug log' };

const USER: Option = { flags: '--user-context <json>', summary: 'simulate a user: JSON, or @file.json' };
const TARGET: Option = {
  flags: '--target <target>',
  summary: 'what will serve: wasm, native, node, aws-lambda or cloudflare-workers',
};

/** Every command of `svc` (spec, "Command-line operations"). */
export const COMMANDS: readonly Command[] = [
  {
    usage: 'init [dir]',
    summary: 'create a project',
    options: [
      { flags: '--bootstrap', summary: 'with an example tool and its test' },
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
    usage: 'serve',
    summary: 'run the server',
    options: [
      { flags: '--transport <provider>', summary: 'streamable-http (default), stdio, or sse (deprecated)' },
      { flags: '--port <int>', summary: 'port to listen on, 0 for any (default: 8000)' },
      { flags: '--host <host>', summary: 'address to listen on (default: 127.0.0.1)' },
      PROFILE,
      { flags: '--stateless', summary: 'remember nothing between requests; opens the database read-only' },
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc serve --port 8000',
    load: () => import('./commands/serve.ts'),
  },
  {
    usage: 'run <kind> <name>',
    summary: 'run one tool, resource or prompt',
    options: [
      { flags: '--param <key=value>', summary: 'an argument, or key=@file.json; repeatable', repeat: true },
      USER,
      { flags: '--skip-output-validation', summary: 'take the result as it is, whatever `return` says' },
      TARGET,
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc run tool hello_world --param name=Ada',
    load: () => import('./commands/run.ts'),
  },
  {
    usage: 'list',
    summary: 'list endpoints',
    options: [PROFILE, JSON_OUT, DEBUG],
    example: 'svc list',
    load: () => import('./commands/list.ts'),
  },
  {
    usage: 'validate [file]',
    summary: 'check endpoints and configuration',
    options: [TARGET, PROFILE, JSON_OUT, DEBUG],
    example: 'svc validate tools/hello_world.yml',
    load: () => import('./commands/validate.ts'),
  },
  {
    usage: 'config',
    summary: 'show every setting and where it comes from',
    options: [
      PROFILE,
      { flags: '--transport <provider>', summary: 'as for `svc serve`' },
      { flags: '--port <int>', summary: 'as for `svc serve`' },
      { flags: '--host <host>', summary: 'as for `svc serve`' },
      { flags: '--stateless', summary: 'as for `svc serve`' },
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc config --json',
    load: () => import('./commands/config.ts'),
  },
  {
    usage: 'test [kind] [name]',
    summary: 'run the tests of endpoints',
    options: [USER, TARGET, PROFILE, JSON_OUT, DEBUG],
    example: 'svc test tool hello_world',
    load: () => import('./commands/test.ts'),
  },
  {
    usage: 'lint',
    summary: 'report missing metadata',
    options: [
      { flags: '--severity <severity>', summary: 'show this and graver: error, warning or info (default)' },
      { flags: '--fail-on <severity>', summary: 'exit with 1 from this severity on (default: error)' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc lint --fail-on warning',
    load: () => import('./commands/lint.ts'),
  },
  {
    usage: 'query [sql]',
    summary: 'run one SQL statement',
    options: [
      { flags: '--file <path>', summary: 'a file with the statement' },
      { flags: '--param <key=value>', summary: 'a value for $key; repeatable', repeat: true },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc query "SELECT * FROM customers WHERE id = $id" --param id=7',
    load: () => import('./commands/query.ts'),
  },
  {
    usage: 'log',
    summary: 'query the audit log',
    options: [
      { flags: '--since <time>', summary: 'from then on: 24h, 7d, 2026-08-01, or a time; UTC' },
      { flags: '--until <time>', summary: 'up to then' },
      { flags: '--tool <name>', summary: 'calls of one tool' },
      { flags: '--resource <uri>', summary: 'readings of one resource, by its URI template' },
      { flags: '--prompt <name>', summary: 'calls of one prompt' },
      { flags: '--type <type>', summary: 'tool, resource or prompt' },
      { flags: '--status <status>', summary: 'success or error' },
      { flags: '--policy <decision>', summary: 'allow, deny or n/a' },
      { flags: '--user <id>', summary: 'calls of one user' },
      { flags: '--limit <n>', summary: 'show at most so many (default: 100)' },
      { flags: '--stats', summary: 'figures, and bars of calls by hour and by endpoint' },
      { flags: '--export-csv <file>', summary: 'write all that match as CSV' },
      {
        flags: '--export-duckdb <file>',
        summary: 'write all that match into the table `logs` of a database',
      },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc log --since 24h --status error',
    load: () => import('./commands/log.ts'),
  },
  {
    usage: 'log-cleanup',
    summary: 'delete old audit files',
    options: [
      { flags: '--older-than <time>', summary: 'e.g. 30d (default: audit.retention_days, or 90d)' },
      { flags: '--dry-run', summary: 'only say what would be deleted' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc log-cleanup --dry-run',
    load: () => import('./commands/log-cleanup.ts'),
  },
  {
    usage: 'schema [file]',
    summary: 'JSON Schema for editors: endpoint (default) or site',
    options: [{ flags: '--out <file>', summary: 'where to write it (default: stdout)' }, JSON_OUT, DEBUG],
    example: 'svc schema --out .svc/endpoint.schema.json',
    load: () => import('./commands/schema.ts'),
  },
  {
    usage: 'auth <action>',
    summary: 'keygen: print a new key to seal tokens with',
    options: [JSON_OUT, DEBUG],
    example: 'svc auth keygen',
    load: () => import('./commands/auth.ts'),
  },
  {
    usage: 'build',
    summary: 'write a folder that runs on a platform',
    options: [
      { flags: '--target <platform>', summary: 'node, aws-lambda or cloudflare-workers' },
      { flags: '--out <dir>', summary: 'where to write it (default: build/<platform>)' },
      { flags: '--config <file>', summary: 'user file to bundle; references only (default: none)' },
      PROFILE,
      JSON_OUT,
      DEBUG,
    ],
    example: 'svc build --target aws-lambda',
    load: () => import('./commands/build.ts'),
  },
];
