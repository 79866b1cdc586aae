import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandNameOf, createInput } from '../../../cli/command.ts';
import { run } from '../../../cli/commands/migrate.ts';
import type { Output } from '../../../cli/io/output.ts';
import { GONE_OPTIONS } from '../../../cli/migrate/script-file.ts';
import { COMMANDS } from '../../../cli/table.ts';
import { ERRORS, toSvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import { EVERY_KEY } from './mxcp-project.ts';
import { folder, svc } from './svc.ts';

const DATABASE = new URL('../../fixtures/files/duckdb-1.5.5.db.gz', import.meta.url);

/** A project as MXCP's users write them; made for this test. */
const OLD: Readonly<Record<string, string>> = {
  'mxcp-site.yml': `# The harbour's own project
mxcp: "1"   # the version
project: harbour
profile: dev

profiles:
  dev:
    duckdb: { readonly: true }   # only read
    audit: { enabled: true }
  prod:
    duckdb:
      # on the big disk
      path: /srv/harbour.duckdb
secrets:
  - weather
extensions:
  - json
sql_tools: { enabled: true }
`,
  'tools/ships.yml': `# Ships that are in
mxcp: 1
tool:
  name: list_ships
  description: Ships in the harbour   # short
  tags: [ships]
  annotations: { readOnlyHint: true }
  parameters:
    - name: flag
      type: string
      description: Country of the flag
      default: null
  return:
    type: array
    items:
      type: object
      properties:
        name: { type: string }
        owner: { type: string, sensitive: true }
  source:
    file: ../sql/ships.sql
  policies:
    input:
      - condition: "user.role == 'guest'"   # nobody from outside
        action: deny
        reason: Staff only
      - condition: "user.role == 'pilot'"
        action: mask_fields
        fields: [owner]
    output:
      - condition: "user.role != 'captain'"
        action: filter_sensitive_fields
      - condition: "user.role != 'captain'"
        action: filter_fields
  tests:
    - name: all
      arguments: []
      result: null
      result_contains_item: { name: Argo }
`,
  'tools/deep/berth.yaml': 'tool:\n  name: free_berths\n  source: { code: SELECT 3 AS berths }\n',
  'tools/notes.yml': 'mxcp: 1\nremember: nothing here is an endpoint\n',
  'resources/ship.yml': `mxcp: 1
resource:
  uri: harbour://ships/{name}
  parameters: [{ name: name, type: string, description: Name }]
  source: { code: "SELECT $name AS name" }
`,
  'prompts/report.yml': `mxcp: 1
prompt:
  name: report
  parameters: [{ name: day, type: string }]
  messages:
    - { role: user, prompt: "Report of {{ day }}" }
`,
  'sql/ships.sql': "SELECT 'Argo' AS name, 'Jason' AS owner WHERE $flag IS NULL OR $flag = 'GR'\n",
  'evals/harbour-evals.yml': `mxcp: 1
suite: harbour
model: claude-4-sonnet
tests:
  - name: asks_for_ships
    prompt: Which ships are in?
    assertions:
      must_call: [{ tool: list_ships, args: {} }]
      answer_contains: [Argo]
`,
  'python/tides.py':
    'from mxcp.runtime import db, config\nfrom mxcp.plugins import MXCPBasePlugin\n\ndef tides():\n    return db.execute("SELECT 1")\n',
  'start.sh':
    '#!/bin/sh\nexport MXCP_DUCKDB_PATH=/srv/x.duckdb MXCP_AUDIT_ENABLED=true\nmxcp validate --json-output && exec mxcp serve --port 8000\n',
  'server_config.json':
    '{ "mcpServers": { "harbour": { "command": "mxcp", "args": ["serve"], "env": { "MXCP_PROFILE": "dev" } } } }\n',
  'README.md': 'Run `mxcp serve`.\n',
  'data/db-dev.duckdb': 'not looked into',
  'audit/logs-dev.jsonl': '{}\n',
  'drift/drift-dev.json': '{}\n',
  '__pycache__/x.pyc': 'x',
};

const USER = `mxcp: 1
# one for all
vault: { enabled: true, address: https://vault.example.org }
transport: { provider: streamable-http, http: { port: 8000 } }
models:
  default: claude-4-sonnet
  models:
    claude-4-sonnet: { type: claude, api_key: "\${ANTHROPIC_KEY}" }
projects:
  harbour:
    profiles:
      dev:
        secrets:
          - { name: weather, type: api, parameters: { api_key: "\${WEATHER_KEY}" } }
        auth:
          provider: github
          github: { client_id: a, client_secret: "\${GH}", callback_path: /callback, auth_url: https://github.com/login/oauth/authorize, token_url: https://github.com/login/oauth/access_token }
          clients: [{ client_id: c, name: C, scopes: ["mxcp:access"] }]
          persistence: { type: sqlite, path: ~/.mxcp/oauth.db }
      prod:
        secrets:
          - { name: weather, type: api, parameters: { api_key: "\${WEATHER_KEY}" } }
        auth:
          mode: verifier
          provider: oidc
          oidc:
            config_url: https://id.example.org/realms/x/.well-known/openid-configuration
            client_id: svc
            client_secret: "\${ID}"   # from the vault
            scope: openid
            audience: harbour
`;

function old(more: Readonly<Record<string, string>> = {}): string {
  const root = join(folder(), 'harbour');
  for (const [path, text] of Object.entries({ ...OLD, ...more })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  }
  return root;
}

const snapshot = (root: string) =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(root, path)).isFile())
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );

/** The command by itself, which is faster than the program. */
async function migrate(root: string, options: Readonly<Record<string, unknown>> = {}) {
  const shown: { document?: JsonValue; text?: string } = {};
  const output: Output = {
    json: false,
    debug: false,
    data: (document, text) => Object.assign(shown, { document, text: text() }),
    note: () => {},
    progress: (_, work) => work(() => {}),
  };
  vi.stubEnv('HOME', ENV.HOME);
  vi.stubEnv('MXCP_CONFIG', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  try {
    const code = await run(createInput([root], options), output);
    return { code, report: JSON.parse(JSON.stringify(shown.document)), text: shown.text ?? '' };
  } catch (thrown) {
    const error = toSvcError(thrown);
    return { code: ERRORS[error.code].exit, report: null, text: error.message };
  }
}

/** Nobody's own files: there is no home. */
const ENV = { HOME: '/nonexistent', MXCP_CONFIG: '' };

interface Shown {
  readonly notes: readonly {
    readonly kind: string;
    readonly file: string;
    readonly line: number;
    readonly message: string;
  }[];
}

const lines = ({ notes }: Shown) =>
  notes.map(({ kind, file, line, message }) => `${kind} ${file}:${line} ${message}`);

// Some start the program several times, which takes long where many do.
describe('svc migrate', { timeout: 90_000 }, () => {
  it('writes a project that validates, beside the old one, which stays as it is', async () => {
    const root = old();
    const before = snapshot(root);
    const { code, stdout, stderr } = await svc(['migrate', root, '--write', '--json'], folder(), ENV);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(snapshot(root)).toEqual(before);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      status: 'ok',
      written: true,
      to: `${root}-svc`,
      findings: [],
      user_config: null,
    });
    const made = `${root}-svc`;
    expect(Object.keys(snapshot(made)).sort()).toEqual(
      [
        ...[
          'README.md',
          'data/db-dev.db',
          'evals/harbour-evals.yml',
          'prompts/report.yml',
          'python/tides.py',
        ],
        ...['resources/ship.yml', 'server_config.json', 'sql/ships.sql', 'start.sh', 'svc-site.yml'],
        ...['tools/deep/berth.yaml', 'tools/ships.yml'],
      ].sort(),
    );
    expect(statSync(join(made, 'start.sh')).mode & 0o111).not.toBe(0);
  });

  it('keeps comments, and every character that it need not change', async () => {
    const root = old();
    await migrate(root, { out: `${root}-new` });
    const read = (path: string) => readFileSync(join(`${root}-new`, path), 'utf8');
    const site = read('svc-site.yml');
    expect(site).toContain("# The harbour's own project\nsvc: 1   # the version\n");
    expect(site).toContain('database: { readonly: true }   # only read');
    expect(site).toContain('    database:\n      # on the big disk\n      path: /srv/harbour.duckdb\n');
    expect(read('resources/ship.yml')).toBe(OLD['resources/ship.yml']?.replace('mxcp: 1', 'svc: 1'));
    expect(read('tools/ships.yml')).toContain('- condition: "user.role == \'guest\'" # nobody from outside');
    expect(read('python/tides.py')).toContain('from svc.runtime import db, config\n');
    expect(read('start.sh')).toBe(
      '#!/bin/sh\nexport SVC_DATABASE_PATH=/srv/x.duckdb SVC_AUDIT_ENABLED=true\nsvc validate --json && exec svc serve --port 8000\n',
    );
    expect(read('server_config.json')).toContain(
      '"command": "svc", "args": ["serve"], "env": { "SVC_PROFILE": "dev" }',
    );
  });

  it('says what is lost, what means something else, and why', async () => {
    const root = old();
    const { code, report, text } = await migrate(root);
    expect(code).toBe(0);
    expect(existsSync(`${root}-svc`)).toBe(false);
    expect(report.written).toBe(false);
    expect(lines(report)).toEqual([
      'lost audit/logs-dev.jsonl:0 Left out. svc writes another format, so the records stay in the old project.',
      'done data/db-dev.duckdb:0 The database is now data/db-dev.db.',
      'lost drift/drift-dev.json:0 Left out. svc uses another format. Take a new snapshot with `svc drift-snapshot`.',
      'done mxcp-site.yml:2 `mxcp: "1"` became `svc: 1`.',
      'check mxcp-site.yml:8 svc enforces `readonly: true`: SQL that writes is refused.',
      'lost python/tides.py:2 svc has no `plugins` for Python.',
      'lost python/tides.py:2 svc has no `MXCPBasePlugin` for Python.',
      'check tools/deep/berth.yaml:0 MXCP never read `.yaml`; svc does.',
      'lost tools/notes.yml:0 Left out. It is neither an endpoint nor a suite. MXCP skipped it too.',
      'lost tools/ships.yml:27 A rule was left out: `mask_fields` has no effect on input.',
      'check tools/ships.yml:31 `filter_sensitive_fields` did nothing in MXCP. It works in svc.',
      'lost tools/ships.yml:33 A rule was left out: `filter_fields` names no fields, and had no effect.',
      'lost tools/ships.yml:38 `result: null` was left out: it asserted nothing in MXCP.',
      'check mxcp-site.yml:15 The user file does not define the secret weather. Add it there under projects.harbour.profiles.dev.secrets; until then, `svc validate` fails.',
    ]);
    expect(text).toContain('svc-site.yml  mxcp-site.yml');
    expect(text).toContain('Nothing was written.');
  });

  it('names each secret that neither the migrated user file nor the one of svc defines', async () => {
    const root = old();
    const migrated = join(root, '../migrated.yml');
    const own = join(root, '../own.yml');
    writeFileSync(migrated, USER.replaceAll('name: weather', 'name: tide'));
    writeFileSync(own, USER.replace('mxcp: 1', 'svc: 1'));
    const undefinedIn = async (options = {}) =>
      lines((await migrate(root, options)).report).filter((line) => line.includes('The user file does not'));
    expect(await undefinedIn({ config: migrated })).toHaveLength(1);
    vi.stubEnv('SVC_CONFIG', own);
    expect(await undefinedIn()).toEqual([]);
    vi.stubEnv('SVC_CONFIG', migrated);
    expect(await undefinedIn()).toHaveLength(1);
    vi.stubEnv('SVC_CONFIG', join(root, 'nowhere.yml'));
    expect(await undefinedIn()).toHaveLength(1);
    writeFileSync(migrated, USER);
    expect(await undefinedIn({ config: migrated })).toEqual([]);
  });

  it('names every option, variable and name of Python that svc does not have', async () => {
    const root = old();
    writeFileSync(
      join(root, 'start.sh'),
      'export MXCP_RESOLVER_CONFIG=x MXCP_PROFILE=dev\nmxcp serve --readonly --port 80 && mxcp query --readonly --json-output "SELECT 1"\nmxcp validate\n',
    );
    writeFileSync(join(root, 'python/tides.py'), 'from mxcp.runtime import db, plugins, reload_duckdb\n');
    const { stdout } = await svc(['migrate', root, '--json'], folder(), ENV);
    const lost = lines(JSON.parse(stdout)).filter((line) => /start\.sh|tides\.py/.test(line));
    const readonly = 'Set `database.readonly: true` in svc-site.yml, or SVC_READONLY=true.';
    expect(lost).toEqual([
      'lost python/tides.py:1 svc has no `plugins` for Python.',
      'lost python/tides.py:1 svc has no `reload_duckdb` for Python.',
      'lost start.sh:1 svc reads no variable MXCP_RESOLVER_CONFIG, so it keeps its name.',
      `lost start.sh:2 \`svc serve\` has no option --readonly. ${readonly}`,
      `lost start.sh:2 \`svc query\` has no option --readonly. ${readonly}`,
    ]);
  });

  it('calls no option gone that svc has', () => {
    for (const [name, options] of Object.entries(GONE_OPTIONS)) {
      const command = COMMANDS.find((one) => commandNameOf(one) === name);
      if (command === undefined) throw new Error(`there is no command ${name}`);
      const flags = command.options.flatMap((one) => one.flags.match(/--[a-z-]+/g) ?? []);
      for (const option of options) expect(flags, name).not.toContain(option);
    }
  });

  it('keeps the rules that MXCP did not load, for their author to correct', async () => {
    const tool = (rules: string) =>
      `mxcp: 1\ntool:\n  name: pay\n  source: { code: SELECT 1 AS a }\n  policies:\n${rules}`;
    const { code, report } = await migrate(
      old({
        'tools/one.yml': tool('    input: [{ condition: "true", action: Deny, reason: no }]\n'),
        'tools/two.yml': tool('    output: [{ condition: "true", action: filter_fields, fields: a }]\n'),
      }),
      { write: true },
    );
    expect(code).toBe(1);
    expect(new Set(report.findings.map(({ file }: { file: string }) => file))).toEqual(
      new Set(['tools/one.yml', 'tools/two.yml']),
    );
    const made = snapshot(report.to);
    expect(made['tools/one.yml']).toContain('action: Deny');
    expect(made['tools/two.yml']).toContain('fields: a');
  });

  it('renames only variables that svc reads, and shows no credential of a line that it leaves', async () => {
    const env =
      'MXCP_PROFILE=dev\nMXCP_DB_PASSWORD1=hunter2\nDB=postgres://mxcp:hunter3@db/mxcp\nMY_TOKEN=mxcp-hunter4\n';
    const compose = 'services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: mxcp hunter5\n';
    const root = old({ '.env': env, 'compose.yml': compose });
    const { report } = await migrate(root, { write: true });
    const made = snapshot(`${root}-svc`);
    expect(made['.env']).toBe(env.replace('MXCP_PROFILE', 'SVC_PROFILE'));
    expect(JSON.stringify(report)).not.toContain('hunter');
    expect(lines(report).filter((line) => /\.env|compose/.test(line))).toEqual([
      'lost .env:2 svc reads no variable MXCP_DB_PASSWORD1, so it keeps its name.',
      'check .env:3 Still mentions MXCP: DB=postgres://[REDACTED]@db/mxcp',
      'check .env:4 Still mentions MXCP: MY_TOKEN=[REDACTED]',
      'check compose.yml:4 Still mentions MXCP: POSTGRES_PASSWORD: [REDACTED]',
    ]);
  });

  it('keeps long numbers where it prints a file anew, and both files of one name apart', async () => {
    const text = `mxcp: 1
tool:
  name: order
  source: { code: SELECT $id AS id }
  parameters: [{ name: id, type: integer, description: x }]
  tests: [{ name: long, arguments: [{ key: id, value: 1234567890123456789 }], result: null }]
`;
    const root = old({
      'tools/order.yml': text,
      'data/db-dev.db': 'another',
      'data/db-dev.db.wal': 'its log',
      'svc-site.yml': 'svc: 1\n',
    });
    const { report } = await migrate(root, { write: true });
    const made = snapshot(`${root}-svc`);
    expect(made['tools/order.yml']).toContain('value: 1234567890123456789');
    expect(made['data/db-dev.db']).toBe('not looked into');
    // Otherwise DuckDB would take it for the log of the other database.
    expect(made['data/db-dev.db.wal']).toBe(undefined);
    expect(made['svc-site.yml']).toContain('project: harbour');
    expect(lines(report)).toEqual(
      expect.arrayContaining([
        'lost data/db-dev.db:0 Left out. The file that MXCP used has this name now.',
        'lost data/db-dev.db.wal:0 Left out. The file that MXCP used has this name now.',
        'lost svc-site.yml:0 Left out. The file that MXCP used has this name now.',
      ]),
    );
  });

  it('says which issuer it cannot know, and takes a user file that says nothing', async () => {
    const root = old();
    const config = join(root, '../user.yml');
    const url = 'https://id.example.org/realms/x/.well-known/openid-configuration';
    writeFileSync(config, USER.replace(url, '"${ID_URL}"'));
    const { report } = await migrate(root, { config });
    expect(lines(report)).toContainEqual(
      expect.stringMatching(/^check .*user\.yml:\d+ .* became `verifier`\. Correct its `issuer`/),
    );
    writeFileSync(config, USER.replace(url, `${url}?appid=1`));
    expect(lines((await migrate(root, { config })).report)).toContainEqual(
      expect.stringMatching(
        /^check .*user\.yml:\d+ .* Its issuer comes from `config_url`\. Set its `jwks_url`/,
      ),
    );
    for (const text of ['', '\uFEFF# nothing yet\r\n\n', `${' '.repeat(20_000)}# x`]) {
      writeFileSync(config, text);
      expect(await migrate(root, { config })).toMatchObject({ code: 0, report: { user_config: null } });
    }
  });

  it('leaves no half of a project where a step fails', async () => {
    const root = old({ '.svc': 'a file where the folder of the user file would be' });
    const config = join(root, '../user.yml');
    writeFileSync(config, USER);
    const out = join(root, '../deep/new');
    expect(await migrate(root, { config, out })).toMatchObject({ code: 1, report: null });
    expect(existsSync(dirname(out))).toBe(false);
    mkdirSync(dirname(out));
    await migrate(root, { config, out });
    expect(readdirSync(dirname(out))).toEqual([]);
    mkdirSync(out);
    await migrate(root, { config, out });
    expect(readdirSync(out)).toEqual([]);
  });

  it('says which files changed while they were copied', async () => {
    const root = old();
    const database = join(root, 'data/db-dev.duckdb');
    let writes = true;
    const write = () => {
      if (!writes) return;
      appendFileSync(database, 'x');
      setImmediate(write);
    };
    setImmediate(write);
    const { report } = await migrate(root, { write: true }).finally(() => {
      writes = false;
    });
    expect(lines(report)).toContainEqual(
      expect.stringMatching(/^check data\/db-dev\.duckdb:0 It changed while it was copied/),
    );
    expect(lines(report).filter((line) => line.includes('It changed'))).toHaveLength(1);
  });

  it('takes every key of MXCP 0.12.3', async () => {
    const root = folder();
    for (const [path, text] of Object.entries(EVERY_KEY)) {
      mkdirSync(dirname(join(root, 'old', path)), { recursive: true });
      writeFileSync(join(root, 'old', path), text);
    }
    const args = ['migrate', 'old', '--config', 'old/user.yml', '--json'];
    const { stdout } = await svc(args, root, ENV);
    const report = JSON.parse(stdout);
    expect(report.findings).toEqual([]);
    expect(lines(report).filter((line) => line.startsWith('lost'))).toEqual([
      expect.stringMatching(/^lost \S+user\.yml:\d+ Stored logins are not carried over/),
    ]);
  });

  it('rewrites the user file too, and leaves it beside the project', async () => {
    const root = old();
    const config = join(dirname(root), 'config.yml');
    writeFileSync(config, USER);
    const { code, stdout } = await svc(
      ['migrate', root, '--write', '--config', config, '--json'],
      folder(),
      ENV,
    );
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.user_config).toEqual({ path: '.svc/config.yml', from: config });
    const made = join(`${root}-svc`, '.svc/config.yml');
    const text = readFileSync(made, 'utf8');
    expect(text).toContain('svc: 1\n# one for all\n');
    expect(text).toContain('svc:access');
    expect(text).toContain('~/.svc/oauth.db');
    expect(text).toMatch(/mode: verifier\n +verifier:\n +issuer: https:\/\/id\.example\.org\/realms\/x\n/);
    expect(text).not.toMatch(/mxcp|provider: oidc/);
    expect(statSync(made).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(`${root}-svc`, '.gitignore'), 'utf8')).toContain('.svc/');
    const env = {
      ...ENV,
      SVC_CONFIG: made,
      ANTHROPIC_KEY: 'k',
      WEATHER_KEY: 'w',
      GH: 'g',
      ID: 'i',
      VAULT_TOKEN: 't',
    };
    writeFileSync(join(`${root}-svc`, 'data/db-dev.db'), gunzipSync(readFileSync(DATABASE)));
    const validated = await svc(['validate', '--json'], `${root}-svc`, env);
    const { status, findings } = JSON.parse(validated.stdout);
    expect({ code: validated.code, status, findings }).toMatchObject({ code: 0, status: 'ok' });
    const prod = await svc(['config', '--profile', 'prod', '--json'], `${root}-svc`, env);
    expect({ code: prod.code, stderr: prod.stderr }).toEqual({ code: 0, stderr: '' });
    expect(prod.stdout).toContain('https://id.example.org/realms/x');
  });

  it('leaves to your hand what it cannot decide, and exits with 1', async () => {
    const odd = OLD['prompts/report.yml']?.replace('role: user', 'role: narrator') ?? '';
    const { code, report } = await migrate(old({ 'prompts/report.yml': odd, 'tools/torn.yml': 'tool: {' }));
    expect(code).toBe(1);
    expect(report.findings).toMatchObject([
      { severity: 'error', file: 'prompts/report.yml', line: 6 },
      { severity: 'error', file: 'tools/torn.yml', code: 'yaml-syntax' },
    ]);
  });

  it('leaves out rules on sensitive fields that are not there', async () => {
    const plain = OLD['tools/ships.yml']?.replace(', sensitive: true', '') ?? '';
    const bare = plain.replace(/ {2}return:\n(?: {4}.*\n)+/, '');
    for (const text of [plain, bare]) {
      const { report } = await migrate(old({ 'tools/ships.yml': text }));
      expect(lines(report)).toContainEqual(
        expect.stringMatching(/^lost .* A rule was left out: it needs a `return` with sensitive fields\.$/),
      );
    }
  });

  it('leaves what stands behind aliases to a person, and what is no YAML as it is', async () => {
    const root = folder();
    const files = {
      'mxcp-site.yml': 'mxcp: 1\nproject: harbour\nprofile: dev\nprofiles: { dev: {} }\n',
      'tools/shared.yml':
        'mxcp:\ntool:\n  name: shared\n  source: { code: SELECT 1 AS a }\n  policies:\n    input: &rules\n      - { condition: "true", action: mask_fields, fields: [a] }\n    output: *rules\n',
      'tools/lost.yml': 'mxcp: 1\ntool: *nothing\n',
      'tools/bomb.yml': `mxcp: 1\na: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]\n`,
    };
    mkdirSync(join(root, 'tools'));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
    const made = `${folder()}/new`;
    const { report } = await migrate(root, { out: made });
    expect(lines(report)).toContainEqual(
      'check tools/shared.yml:7 A rule must be removed by hand, because the file has aliases: `mask_fields` has no effect on input.',
    );
    const written = snapshot(made);
    expect(written['tools/shared.yml']).toBe(files['tools/shared.yml'].replace('mxcp:', 'svc: 1'));
    expect(written['tools/lost.yml']).toBe(files['tools/lost.yml']);
    expect(written['tools/bomb.yml']).toBe(files['tools/bomb.yml']);
  });

  it('follows links to files, says which it cannot follow, and loses no byte and no folder', async () => {
    const root = join(folder(), "an old harbour's");
    const tool = (name: string) => `mxcp: 1\ntool: { name: ${name}, source: { code: SELECT 1 AS a } }\n`;
    const files = {
      'mxcp-site.yml':
        'mxcp: 1\nproject: harbour\nprofile: dev\nprofiles: { dev: {} }\npaths: { tools: ./tools/ }\n',
      'tools/target/one.yml': tool('one'),
      'models/dbt_project.yml': 'name: x\n',
      'models/target/run.sql': 'SELECT 1',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const latin = Buffer.from('mxcp serve # caf\xe9\n', 'latin1');
    writeFileSync(join(root, 'start.sh'), latin);
    writeFileSync(join(dirname(root), 'two.yml'), tool('two'));
    symlinkSync('../../two.yml', join(root, 'tools/two.yml'));
    symlinkSync('..', join(root, 'tools/up'));
    symlinkSync('nowhere', join(root, 'tools/none.yml'));
    const { report, text } = await migrate(root, { write: true });
    const made = `${root}-svc`;
    expect(Object.keys(snapshot(made)).toSorted()).toEqual([
      ...['models/dbt_project.yml', 'start.sh', 'svc-site.yml', 'tools/target/one.yml', 'tools/two.yml'],
    ]);
    expect(readFileSync(join(made, 'tools/two.yml'), 'utf8')).toBe(tool('two').replace('mxcp', 'svc'));
    expect(readFileSync(join(made, 'tools/target/one.yml'), 'utf8')).toMatch(/^svc: 1/);
    expect(readFileSync(join(made, 'start.sh')).equals(latin)).toBe(true);
    expect(lines(report)).toEqual(
      expect.arrayContaining([
        'done tools/two.yml:0 This is a link. The file behind it is copied.',
        'lost tools/up:0 Left out. This link leads to no file.',
        'lost tools/none.yml:0 Left out. This link leads nowhere.',
        'check start.sh:0 It is not UTF-8, so it is copied unchanged.',
      ]),
    );
    expect(text).toMatch(/ {2}cd '.*an old harbour'\\''s-svc'\n/);
  });

  it('overwrites nothing, and takes no other folder for a project', async () => {
    const root = old();
    const results = [
      await migrate(root, { out: root }),
      await migrate(root, { out: join(root, 'inside') }),
      await migrate(root, { out: dirname(root) }),
      await migrate(folder()),
      await migrate(root, { config: 'nowhere.yml' }),
    ];
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    mkdirSync(`${root}-svc`);
    writeFileSync(join(`${root}-svc`, 'mine'), 'x');
    const full = await migrate(root, { write: true });
    expect(full).toMatchObject({
      code: 2,
      text: expect.stringContaining('is not empty. Nothing was written'),
    });
  });
});
