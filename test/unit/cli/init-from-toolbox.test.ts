import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { createInput } from '../../../cli/command.ts';
import { run } from '../../../cli/commands/init.ts';
import { convertToolbox } from '../../../cli/init/toolbox/convert.ts';
import { folder, svc } from './svc.ts';

/* Files of MCP Toolbox as its users write them, in our own words. */

/** The newer form: one document for each thing. */
const DOCUMENTS = `kind: source
name: harbour-db
type: duckdb
database: data/harbour.duckdb
---
kind: tool
name: ships-of-flag
type: duckdb-sql
source: harbour-db
description: |
  Ships under a flag.
statement: SELECT name, tons FROM ships WHERE flag = $1 AND tons >= $2 ORDER BY name;
parameters:
  - { name: flag, type: string, description: Country of the flag, allowedValues: [NL, PT] }
  - { name: least-tons, type: integer, description: At least so heavy, default: 0, minValue: 0 }
annotations: { readOnlyHint: true, openWorldHint: false }
maxRows: 50
---
kind: tool
name: find_ship
type: duckdb-sql
source: harbour-db
description: A ship by the beginning of its name
statement: SELECT name FROM ships WHERE ($1 IS NULL OR starts_with(name, $1)) AND name NOT LIKE $2
parameters:
  - { name: prefix, type: string, description: Beginning, required: false, excludedValues: ["^X", "secret"] }
  - { name: without, type: string, description: Not these, allowedValues: ["^[a-z%]+$"] }
---
kind: tool
name: my_ships
type: duckdb-sql
source: harbour-db
description: Ships of the caller
statement: SELECT name FROM ships WHERE owner = $1
parameters:
  - name: owner
    type: string
    description: The caller
    authServices: [{ name: our-login, field: email }]
---
kind: tool
name: paint_ship
type: duckdb-sql
source: harbour-db
description: Paints
authRequired: [our-login]
scopesRequired: [ships:write]
statement: UPDATE ships SET tons = $1 WHERE name = ANY($2)
parameters:
  - { name: tons, type: float, description: New weight }
  - { name: names, type: array, description: Which, items: { name: name, type: string, description: Name } }
---
kind: toolset
name: harbour
tools: [ships-of-flag, find_ship]
---
kind: prompt
name: greet
description: Greets a captain
messages:
  - { role: user, content: "Hello, {{.captain}}!" }
arguments:
  - { name: captain, description: Whom }
`;

/** Everything that has no counterpart. */
const STRANGE = `---
kind: authService
name: our-login
type: google
clientId: abc
---
kind: source
name: warehouse
type: bigquery
project: p
---
kind: tool
name: from_warehouse
type: bigquery-sql
source: warehouse
description: Elsewhere
statement: SELECT 1
---
kind: tool
name: any_table
type: duckdb-sql
source: harbour-db
description: Any
statement: SELECT * FROM {{.table}}
templateParameters: [{ name: table, type: string, description: Which }]
---
kind: tool
name: free_sql
type: duckdb-execute-sql
source: harbour-db
description: Anything
---
kind: tool
name: hidden_argument
type: duckdb-sql
source: harbour-db
description: Hidden
statement: SELECT $1
parameters: [{ name: tenant, type: string, description: Whose, secure: true }]
---
kind: tool
name: by_subject
type: duckdb-sql
source: harbour-db
description: Of the caller
statement: SELECT $1
parameters: [{ name: id, type: string, description: x, authServices: [{ name: our-login, field: sub }] }]
---
kind: tool
name: other_dialect
type: duckdb-sql
source: harbour-db
description: Not DuckDB's
statement: SELECT TOP 5 name FROM ships
---
kind: tool
name: too_few
type: duckdb-sql
source: harbour-db
description: Lacks one
statement: SELECT $1, $2
parameters: [{ name: one, type: string, description: x }]
---
kind: embeddingModel
name: vectors
type: gemini
model: m
---
kind: prompt
name: looped
description: x
messages: [{ content: "{{range .all}}x{{end}}" }]
---
kind: resource
name: notes
type: text
text: x
`;

/** The older form: a map for each kind. */
const MAPS = `sources:
  shop-sqlite: { kind: sqlite, database: ./shop.sqlite }
  books.pg:
    kind: postgres
    host: \${BOOKS_HOST:db.internal}
    port: 5432
    database: books
    user: \${BOOKS_USER}
    password: hunter2
tools:
  list_orders:
    kind: sqlite-sql
    source: shop-sqlite
    description: Orders
    statement: SELECT * FROM orders WHERE total > ?
    parameters:
      - { name: least, type: float, description: At least }
  ledger:
    kind: postgres-sql
    source: books.pg
    description: The ledger
    statement: SELECT * FROM ledger
toolsets:
  everyday: [list_orders, ledger]
`;

async function convert(text: string, env: Readonly<Record<string, string>> = {}) {
  const root = folder();
  writeFileSync(join(root, 'tools.yaml'), text);
  const made = await svc(['init', 'made', '--from-toolbox', 'tools.yaml', '--json'], root, env);
  return { root: join(root, 'made'), ...made, document: JSON.parse(made.stdout || 'null') };
}

const read = (root: string, path: string) => parse(readFileSync(join(root, path), 'utf8'));

describe('svc init --from-toolbox', () => {
  // Requirements: toolbox.converts, toolbox.valid
  it('makes tools that answer, from one document for each thing', async () => {
    const { root, code, document } = await convert(DOCUMENTS);
    expect({ code, document }).toMatchObject({ code: 0, document: { status: 'ok' } });
    mkdirSync(join(root, '../data'));
    const instance = await (await loadDriver()).openInstance(join(root, '../data/harbour.duckdb'));
    const connection = await instance.connect();
    await connection.run(
      "CREATE TABLE ships AS SELECT 'Ada' AS name, 'NL' AS flag, 7.0::DOUBLE AS tons, 'ada@example.com' AS owner",
    );
    connection.closeSync();
    instance.closeSync();

    expect(await svc(['validate'], root)).toMatchObject({ code: 0 });
    const run = (tool: string, ...params: string[]) =>
      svc(['run', 'tool', tool, ...params.flatMap((one) => ['--param', one]), '--json'], root);
    expect((await run('ships-of-flag', 'flag=NL')).stdout).toBe('[{"name":"Ada","tons":7}]\n');
    expect((await run('ships-of-flag', 'flag=DE')).code).not.toBe(0);
    expect((await run('find_ship', 'without=zz%')).stdout).toBe('[{"name":"Ada"}]\n');
    expect((await run('find_ship', 'without=UP')).stdout).toContain('pattern');
    expect((await run('find_ship', 'without=z', 'prefix=Xenia')).stdout).toContain(
      'prefix is an excluded value',
    );
    expect((await run('my_ships')).stdout).toContain('Sign in first');
    const prompt = await svc(['run', 'prompt', 'greet', '--param', 'captain=Nemo', '--json'], root);
    expect(prompt.stdout).toContain('Hello, Nemo!');
  });

  // Requirements: toolbox.converts
  it('keeps parameters, hints, limits, scopes and toolsets', async () => {
    const { root, document } = await convert(DOCUMENTS);
    expect(read(root, 'svc-site.yml').profiles.default.database).toEqual({
      path: '../data/harbour.duckdb',
      readonly: false,
    });
    expect(read(root, 'tools/ships-of-flag.yml').tool).toEqual({
      name: 'ships-of-flag',
      description: 'Ships under a flag.',
      tags: ['harbour'],
      parameters: [
        { name: 'flag', type: 'string', description: 'Country of the flag', enum: ['NL', 'PT'] },
        { name: 'least_tons', type: 'integer', description: 'At least so heavy', minimum: 0, default: 0 },
      ],
      annotations: { readOnlyHint: true, openWorldHint: false },
      limits: { rows: 50 },
      source: {
        code: 'SELECT name, tons FROM ships WHERE flag = $flag AND tons >= $least_tons ORDER BY name\n',
      },
    });
    expect(read(root, 'tools/paint_ship.yml').tool).toMatchObject({
      scopes: ['ships:write'],
      parameters: [
        { name: 'tons', type: 'number' },
        { name: 'names', type: 'array', items: { type: 'string' } },
      ],
      policies: { input: [{ condition: "user.role == 'anonymous'", action: 'deny' }] },
    });
    expect(read(root, 'tools/my_ships.yml').tool.source.code).toContain('owner = get_user_email()');
    const checks = document.notes.map(({ message }: { message: string }) => message).join('\n');
    expect(checks).toContain('The parameter least-tons is now least_tons');
  });

  // Requirements: toolbox.named
  it('names each thing that it leaves out, with its line', async () => {
    const { root, code, document } = await convert(DOCUMENTS + STRANGE);
    expect(code).toBe(0);
    const lost: readonly { kind: string; line: number; message: string }[] = document.notes.filter(
      ({ kind }: { kind: string }) => kind === 'lost',
    );
    expect(lost.map(({ message }) => message.split(':')[0])).toEqual([
      'authService our-login',
      'source warehouse',
      'tool from_warehouse',
      'tool any_table',
      'tool free_sql',
      'tool hidden_argument',
      'tool by_subject',
      'tool other_dialect',
      'tool too_few',
      'embeddingModel vectors',
      'prompt looped',
      'resource notes',
    ]);
    const lines = (DOCUMENTS + STRANGE).split('\n');
    for (const { line, message } of lost) {
      const name = message.split(':')[0]?.split(' ')[1] ?? '';
      expect(lines.slice(line - 1, line + 2).join('\n'), message).toContain(name);
    }
    expect(lost.find(({ message }) => message.startsWith('tool other_dialect'))?.message).toContain(
      'Parser Error',
    );
    expect(readdirSync(join(root, 'tools'))).toHaveLength(4);
  });

  // Requirements: toolbox.converts
  it('attaches the sources of the older form, with credentials in a user file', async () => {
    const { root, document } = await convert(MAPS, { BOOKS_USER: 'ada' });
    expect(document.notes).toEqual([]);
    const site = read(root, 'svc-site.yml');
    expect(site).toMatchObject({ extensions: ['sqlite', 'postgres'], secrets: ['books_pg'] });
    expect(site.profiles.default.database).toEqual({
      path: ':memory:',
      attach: [
        { name: 'shop_sqlite', uri: 'sqlite:../shop.sqlite' },
        { name: 'books_pg', uri: 'postgres:dbname=books host=db.internal port=5432', secret: 'books_pg' },
      ],
      use: 'shop_sqlite',
    });
    const [secret] = read(root, '.svc/config.yml').projects.made.profiles.default.secrets;
    expect(secret).toEqual({
      name: 'books_pg',
      type: 'postgres',
      parameters: { user: '${BOOKS_USER}', password: 'hunter2' },
    });
    expect(statSync(join(root, '.svc/config.yml')).mode & 0o077).toBe(0);
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toContain('.svc/\n');
    const listed = await svc(['list', '--json'], root);
    expect(JSON.parse(listed.stdout).endpoints.map(({ status }: { status: string }) => status)).toEqual([
      'ok',
      'ok',
    ]);
  });

  it.each([
    ['a file that is not there', null, /cannot be read/],
    ['no YAML', 'a: "b', /tools\.yaml:\d+: this is not YAML/],
    ['nothing to serve', 'a: 1\n', /declares nothing/],
    [
      'a variable that is not set',
      MAPS.replace(':db.internal', ''),
      /variable BOOKS_HOST of the tools file is not set/,
    ],
  ])('refuses %s, and writes nothing', async (_, text, message) => {
    const root = folder();
    if (text !== null) writeFileSync(join(root, 'tools.yaml'), text);
    const made = await svc(['init', 'made', '--from-toolbox', 'tools.yaml'], root);
    expect(made).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(readdirSync(root)).not.toContain('made');
  });

  it('goes with neither --from nor --bootstrap', async () => {
    const root = folder();
    writeFileSync(join(root, 'tools.yaml'), MAPS);
    const made = await svc(['init', '--from-toolbox', 'tools.yaml', '--bootstrap'], root);
    expect(made).toMatchObject({ code: 2 });
    expect(made.stderr).toContain('--from-toolbox takes the database from the tools file');
  });

  /** A tools file with one tool over a DuckDB file. */
  const oneTool = (rest: string) =>
    `sources: { db: { kind: duckdb, database: x.duckdb } }\ntools:\n  one:\n    kind: duckdb-sql\n    source: db\n    description: x\n${rest}`;
  const planned = (text: string, env: Readonly<Record<string, string>> = {}) => {
    const { endpoints, sources, notes } = convertToolbox(text, {
      file: '/t/tools.yaml',
      root: '/t/new',
      env,
    });
    return { files: endpoints.map(({ file }) => file), sources, notes: notes.map(({ message }) => message) };
  };

  it('takes from `<<` what the others take, such as the sign-in', () => {
    const text = `x-staff: &staff { authRequired: [our-login] }\n${oneTool('    <<: *staff\n    statement: SELECT 1\n')}`;
    expect(planned(text).files).toMatchObject([
      { tool: { policies: { input: [{ condition: "user.role == 'anonymous'", action: 'deny' }] } } },
    ]);
  });

  it('reads documents whose kind is the plural, as earlier versions wrote them', () => {
    const text = DOCUMENTS.replaceAll(/^kind: (\w+)$/gm, 'kind: $1s');
    expect(planned(text)).toEqual(planned(DOCUMENTS));
  });

  it('keeps the encryption of a connection, and names each other part of a source', () => {
    const { sources, notes } = planned(`sources:
  pg: { kind: postgres, host: h, port: 5432, database: d, user: u, password: p, queryParams: { sslmode: verify-full, pool_max_conns: "4" } }
  my: { kind: mysql, host: h, port: 3306, database: d, user: u, password: p, queryParams: { tls: "true" }, queryTimeout: 30s }
  db: { kind: duckdb, database: x.duckdb, configuration: { access_mode: READ_ONLY } }
`);
    expect(sources.map(({ uri }) => uri)).toEqual([
      'postgres:dbname=d host=h port=5432 sslmode=verify-full',
      'mysql:database=d host=h port=3306 ssl_mode=verify_identity',
      '../x.duckdb',
    ]);
    expect(notes).toEqual([
      'source pg: `queryParams.pool_max_conns` has no counterpart.',
      'source my: `queryTimeout` has no counterpart.',
      'source db: `configuration` has no counterpart.',
    ]);
  });

  it('says what DuckDB evaluates in another way than the database', () => {
    const { notes } = planned(`sources:
  lite: { kind: sqlite, database: x.sqlite }
  pg: { kind: postgres, host: h, port: 5432, database: d, user: u, password: p }
  duck: { kind: duckdb, database: x.duckdb }
tools:
  one: { kind: sqlite-sql, source: lite, description: x, statement: "SELECT a / 2 FROM t WHERE n like ?", parameters: [{ name: n, type: string, description: x }] }
  two: { kind: postgres-sql, source: pg, description: x, statement: "SELECT a / 2 FROM t WHERE n LIKE 'x'" }
  three: { kind: postgres-sql, source: pg, description: x, statement: "SELECT 'a/b' FROM t -- a / b" }
  four: { kind: duckdb-sql, source: duck, description: x, statement: "SELECT a / 2 FROM t WHERE n LIKE 'x'" }
`);
    expect(notes).toEqual([
      expect.stringMatching(/^tool one: LIKE is case-sensitive/),
      expect.stringMatching(/^tool one: `\/` of integers gives a fraction/),
      expect.stringMatching(/^tool two: `\/` of integers/),
    ]);
  });

  it('checks each item of a list as the items say', async () => {
    const items =
      'items: { name: n, type: string, description: z, allowedValues: ["^a"], excludedValues: [b] }';
    const { root } = await convert(`sources: { db: { kind: duckdb, database: made/data/x.duckdb } }
tools:
  one:
    kind: duckdb-sql
    source: db
    description: x
    statement: SELECT len($1) AS n
    parameters:
      - { name: names, type: array, description: y, ${items} }
`);
    const instance = await (await loadDriver()).openInstance(join(root, 'data/x.duckdb'));
    instance.closeSync();
    const call = (names: readonly string[]) =>
      svc(['run', 'tool', 'one', '--param', `names=${JSON.stringify(names)}`, '--json'], root);
    expect((await call(['a', 'ac'])).stdout).toBe('[{"n":2}]\n');
    expect((await call(['a', 'c'])).stdout).toContain('an item that is not an allowed value');
    expect((await call(['a', 'ab'])).stdout).toContain('an item that is an excluded value');
  });

  it('resolves references in tools and prompts, as MCP Toolbox does', () => {
    const text = oneTool(`    statement: SELECT $1 FROM \${TABLE:-ships}
    parameters:
      - { name: n, type: integer, description: y, minValue: 0, maxValue: 9, excludedValues: ["\${BAD}"] }
      - name: m
        type: integer
        description: y
        minValue: \${LEAST}
`).replace('SELECT $1', 'SELECT $1, $2');
    const [file] = planned(text, { BAD: '^5$', LEAST: '3' }).files;
    expect(file).toMatchObject({
      tool: {
        parameters: [{ name: 'n' }, { name: 'm', minimum: 3 }],
        policies: { input: [{ condition: 'n != null && string(n).matches("(?:^5$)")' }] },
        source: { code: 'SELECT $n, $m FROM ships\n' },
      },
    });
    expect(() => planned(text)).toThrow(/The variable BAD of the tools file is not set/);
  });

  it('writes defaults of strings as text', () => {
    const text = oneTool(`    statement: SELECT $1
    parameters:
      - { name: n, type: string, description: y, default: 5 }
`);
    const prompt = `prompts:
  say:
    messages: [{ content: "Say {{.word}}" }]
    arguments: [{ name: word, description: y, default: true }]
`;
    const [tool, said] = planned(text + prompt).files;
    expect(tool).toMatchObject({ tool: { parameters: [{ name: 'n', default: '5' }] } });
    expect(said).toMatchObject({ prompt: { parameters: [{ name: 'word', default: 'true' }] } });
  });

  it.each([
    ['an alias without an anchor', 'tools: { a: *none }\n'],
    ['an alias inside itself', 'tools: &a { b: *a }\n'],
    [
      'aliases of aliases',
      `a: &a [${'x,'.repeat(20)}]\nb: &b [${'*a,'.repeat(20)}]\nc: &c [${'*b,'.repeat(20)}]\ntools: { d: *c }\n`,
    ],
  ])('says so of %s', (_, text) => {
    expect(() => planned(text)).toThrow(/tools\.yaml has an alias that cannot be resolved/);
  });

  it('leaves out a tool that asks for a sign-in in another form, and a prompt that svc would read as a template', () => {
    const wrong = planned(oneTool('    authRequired: our-login\n    statement: SELECT 1\n'));
    expect(wrong).toMatchObject({ files: [], notes: ['tool one: Its `authRequired` is not a list.'] });
    const prompt = planned(
      `prompts: { p: { description: x, messages: [{ content: "Keep {# this #}" }] } }\n`,
    );
    expect(prompt).toMatchObject({
      files: [],
      notes: [expect.stringContaining('prompt p: Its messages contain')],
    });
  });

  it('writes nothing where a user file is there already', async () => {
    const root = folder();
    writeFileSync(join(root, 'tools.yaml'), MAPS);
    mkdirSync(join(root, 'made/.svc'), { recursive: true });
    writeFileSync(join(root, 'made/.svc/config.yml'), 'svc: 1\n');
    const input = createInput([join(root, 'made')], { fromToolbox: join(root, 'tools.yaml'), yes: true });
    const output = {
      json: true,
      debug: false,
      data: () => {},
      note: () => {},
      progress: () => Promise.reject(),
    };
    vi.stubEnv('BOOKS_USER', 'ada');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(run(input, output)).rejects.toThrow(/config\.yml exists already\. Nothing was written/);
    expect(readdirSync(join(root, 'made'))).toEqual(['.svc']);
  });
});
