import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { openNodeDatabase } from '../../../adapters/node/database/open-database.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import type { Project } from '../../../src/project/model.ts';
import type { ChangeClass, DriftChange } from '../../../src/quality/drift/change.ts';
import { compareContracts } from '../../../src/quality/drift/compare-contract.ts';
import { compareSnapshots } from '../../../src/quality/drift/compare-snapshot.ts';
import { compareMacros } from '../../../src/quality/drift/compare-tables.ts';
import { toContract } from '../../../src/quality/drift/contract.ts';
import { type Snapshot, toSnapshot } from '../../../src/quality/drift/snapshot.ts';
import { readMacros, readTables, type Tables } from '../../../src/quality/drift/tables.ts';
import { load, SITE } from '../project/memory.ts';
import { folder } from './svc.ts';

const SEED = `CREATE TABLE orders (id INTEGER NOT NULL, total DECIMAL(9,2), note VARCHAR);
CREATE VIEW big AS SELECT id FROM orders WHERE total > 100;`;

const TOOL = `tool:
  name: find
  title: Find
  description: Finds orders.
  tags: [orders]
  scopes: [read]
  annotations: { idempotentHint: true }
  limits: { rows: 100 }
  parameters:
    - { name: id, type: integer, minimum: 1, maximum: 99, description: An order. }
    - { name: kind, type: string, enum: [a, b], default: a }
    - { name: text, type: string, maxLength: 10, default: null }
  return:
    type: object
    properties:
      id: { type: integer }
      kind: { type: string, enum: [a, b] }
    required: [id, kind]
  policies:
    input: [{ condition: "user.role == 'guest'", action: deny, reason: No guests. }]
  source: { file: find.sql }
`;
const SQL = 'SELECT id, $kind AS kind FROM orders WHERE id = $id AND note LIKE $text';
const PROMPT = `prompt:
  name: review
  parameters: [{ name: month, type: string }]
  messages: [{ role: user, prompt: "Review {{ month }}." }]
`;
const RESOURCE = `resource:
  uri: shop://terms
  mime_type: text/plain
  return: { type: string }
  source: { code: "SELECT 'none' AS terms" }
`;

interface Files {
  readonly tool: string;
  readonly sql: string;
  readonly prompt: string;
  readonly resource: string;
}

const BEFORE: Files = { tool: TOOL, sql: SQL, prompt: PROMPT, resource: RESOURCE };

async function projectOf({ tool, sql, prompt, resource }: Files) {
  return load({
    'tools/find.yml': tool,
    // A parameter that is declared must be used.
    'tools/find.sql': tool.includes('name: day') ? `${sql} AND $day <> ''` : sql,
    ...(prompt === '' ? {} : { 'prompts/review.yml': prompt }),
    'resources/terms.yml': resource,
  });
}

async function snapshotOf(files: Files, tables: Tables) {
  return bareSnapshotOf(await projectOf(files), tables);
}

async function bareSnapshotOf(project: Project, tables: Tables = {}): Promise<Snapshot> {
  return toSnapshot({ project, catalog: await compileCatalog(project), tables, reports: null, findings: [] });
}

async function tablesOf(sql: string): Promise<Tables> {
  const path = join(folder(), 'shop.duckdb');
  await runScript(path, sql);
  const database = await openNodeDatabase({ path, readonly: true, engine: 'native' });
  try {
    return await readTables(database, new AbortController().signal);
  } finally {
    await database.close();
  }
}

/** What is changed, in which words, the class that is expected, and where. */
type Case = readonly [string, ChangeClass, string, string, string];

/** In the seed script. */
const TABLES: readonly Case[] = [
  ['a column takes another type', 'breaking', 'note VARCHAR', 'note BLOB', 'columns.note.type'],
  ['a column takes a wider type', 'breaking', 'id INTEGER', 'id BIGINT', 'columns.id.type'],
  ['a column is gone', 'breaking', ', note VARCHAR', '', 'columns.note'],
  ['a column has another name', 'breaking', 'note VARCHAR', 'remark VARCHAR', 'columns.note'],
  ['a column is new', 'widening', 'note VARCHAR', 'note VARCHAR, paid BOOLEAN', 'columns.paid'],
  ['a column may be null', 'breaking', ' NOT NULL', '', 'columns.id.nullable'],
  ['a column may not be null', 'widening', 'note VARCHAR', 'note VARCHAR NOT NULL', 'columns.note.nullable'],
  ['a view is gone', 'breaking', 'CREATE VIEW big AS SELECT id FROM orders WHERE total > 100;', '', ''],
  ['a table is new', 'widening', 'CREATE VIEW', 'CREATE TABLE more (x INTEGER); CREATE VIEW', ''],
  ['a view reads other rows', 'breaking', 'total > 100', 'total > 10', 'sql'],
  [
    'a table has become a view',
    'breaking',
    'CREATE TABLE orders (id INTEGER NOT NULL, total DECIMAL(9,2), note VARCHAR)',
    'CREATE VIEW orders AS SELECT 1 AS id, 1.5::DECIMAL(9,2) AS total, NULL::VARCHAR AS note',
    'kind',
  ],
  ['a comment is new', 'wording', 'CREATE VIEW', "COMMENT ON TABLE orders IS 'All.'; CREATE VIEW", 'comment'],
  [
    'columns are in another order',
    'wording',
    'total DECIMAL(9,2), note VARCHAR',
    'note VARCHAR, total DECIMAL(9,2)',
    'columns',
  ],
];

/** In the tool: what clients see of it. */
const CONTRACT: readonly Case[] = [
  [
    'a parameter is required and new',
    'breaking',
    '    - { name: text, type: string, maxLength: 10, default: null }',
    '    - { name: text, type: string, maxLength: 10, default: null }\n    - { name: day, type: string }',
    'input.properties.day',
  ],
  [
    'a parameter is optional and new',
    'widening',
    '    - { name: text, type: string, maxLength: 10, default: null }',
    '    - { name: text, type: string, maxLength: 10, default: null }\n    - { name: day, type: string, default: x }',
    'input.properties.day',
  ],
  [
    'a parameter has another type',
    'breaking',
    'name: id, type: integer, minimum: 1, maximum: 99',
    'name: id, type: string',
    'input.properties.id.type',
  ],
  [
    'a parameter takes any number',
    'widening',
    'name: id, type: integer',
    'name: id, type: number',
    'input.properties.id.type',
  ],
  ['a maximum is lower', 'breaking', 'maximum: 99', 'maximum: 9', 'input.properties.id.maximum'],
  ['a maximum is higher', 'widening', 'maximum: 99', 'maximum: 999', 'input.properties.id.maximum'],
  ['a minimum is gone', 'widening', 'minimum: 1, ', '', 'input.properties.id.minimum'],
  [
    'a pattern is new',
    'breaking',
    'maxLength: 10, default: null',
    'maxLength: 10, pattern: "^x", default: null',
    'input.properties.text.pattern',
  ],
  [
    'a value of a parameter is gone',
    'breaking',
    'enum: [a, b], default: a }',
    'enum: [a], default: a }',
    'input.properties.kind.enum',
  ],
  [
    'a value of a parameter is new',
    'widening',
    'enum: [a, b], default: a }',
    'enum: [a, b, c], default: a }',
    'input.properties.kind.enum',
  ],
  ['a default is another', 'breaking', 'default: a }', 'default: b }', 'input.properties.kind.default'],
  [
    'a parameter has to be sent',
    'breaking',
    'enum: [a, b], default: a }',
    'enum: [a, b] }',
    'input.properties.kind.required',
  ],
  [
    'a parameter can be left out',
    'widening',
    'maximum: 99, ',
    'maximum: 99, default: 1, ',
    'input.properties.id.required',
  ],
  [
    'a description of a parameter is another',
    'wording',
    'An order.',
    'One order.',
    'input.properties.id.description',
  ],
  ['a description is another', 'wording', 'Finds orders.', 'Finds an order.', 'description'],
  ['a title is another', 'wording', 'title: Find', 'title: Look', 'title'],
  ['tags are others', 'wording', 'tags: [orders]', 'tags: [sales]', '_meta'],
  [
    'a result has one thing less',
    'breaking',
    '      kind: { type: string, enum: [a, b] }\n    required: [id, kind]',
    '    required: [id]',
    'output.properties.kind',
  ],
  [
    'a result has one thing more',
    'widening',
    '    required: [id, kind]',
    '      note: { type: string }\n    required: [id, kind]',
    'output.properties.note',
  ],
  [
    'a result may lack something',
    'breaking',
    'required: [id, kind]',
    'required: [id]',
    'output.properties.kind.required',
  ],
  [
    'a result may be another value',
    'breaking',
    'enum: [a, b] }\n',
    'enum: [a, b, c] }\n',
    'output.properties.kind.enum',
  ],
  [
    'a result is one value less',
    'widening',
    'enum: [a, b] }\n',
    'enum: [a] }\n',
    'output.properties.kind.enum',
  ],
  [
    'a result may be null',
    'breaking',
    'id: { type: integer }',
    'id: { type: integer, nullable: true }',
    'output.properties.id.type',
  ],
  [
    'a tool is no longer idempotent',
    'breaking',
    'idempotentHint: true',
    'idempotentHint: false',
    'annotations.idempotentHint',
  ],
  [
    'a tool is said to harm nothing',
    'widening',
    'idempotentHint: true',
    'idempotentHint: true, destructiveHint: false',
    'annotations.destructiveHint',
  ],
  ['a scope is asked for', 'breaking', 'scopes: [read]', 'scopes: [read, sales]', 'scopes'],
  ['a scope is not asked for', 'widening', 'scopes: [read]', 'scopes: []', 'scopes'],
  [
    'a person is asked first',
    'breaking',
    '  tags: [orders]',
    '  tags: [orders]\n  confirm: { question: Sure? }',
    'confirm',
  ],
  ['answers are text', 'breaking', '  tags: [orders]', '  tags: [orders]\n  format: csv', 'format'],
  ['a tool has another name', 'breaking', 'name: find', 'name: seek', ''],
];

/** In the tool, where no client sees it. */
const INSIDE: readonly Case[] = [
  [
    'a policy is gone',
    'breaking',
    '\n    input: [{ condition: "user.role == \'guest\'", action: deny, reason: No guests. }]',
    ' {}',
    'policies',
  ],
  ['a reason is another', 'wording', 'No guests.', 'Guests cannot.', 'policies'],
  ['fewer rows are returned', 'breaking', 'rows: 100', 'rows: 10', 'limits.rows'],
  ['more rows are returned', 'widening', 'rows: 100', 'rows: 1000', 'limits.rows'],
];

const SOURCE: readonly Case[] = [
  ['SQL that reads others', 'breaking', 'AND note', 'OR note', ''],
  ['SQL in other lines', 'wording', ' WHERE', '\n-- by number\nWHERE', ''],
];

const PROMPTS: readonly Case[] = [
  ['a prompt in other words', 'wording', 'Review', 'Look at', 'messages'],
  ['a prompt by somebody else', 'breaking', 'role: user', 'role: assistant', 'messages'],
  ['a prompt that is gone', 'breaking', PROMPT, '', ''],
];

const RESOURCES: readonly Case[] = [
  ['a resource of another kind', 'breaking', 'text/plain', 'text/html', 'mimeType'],
  ['a resource at another place', 'breaking', 'shop://terms', 'shop://rules', ''],
];

function replaced(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

/** The gravest that happened at a place. */
const classAt = (path: string, changes: readonly DriftChange[]) =>
  changes.find((one) => one.path === path)?.class;

describe('a change of the database', () => {
  // Requirements: command.drift-check
  it.each(TABLES)('%s: %s', async (_what, expected, from, to, path) => {
    const [before, after] = [await tablesOf(SEED), await tablesOf(replaced(SEED, from, to))];
    const [was, is] = [await snapshotOf(BEFORE, before), await snapshotOf(BEFORE, after)];
    expect(classAt(path, compareSnapshots(was, is))).toBe(expected);
    expect(compareSnapshots(is, is)).toEqual([]);
  });
});

const FILES: readonly (readonly [keyof Files, readonly Case[]])[] = [
  ['tool', [...CONTRACT, ...INSIDE]],
  ['sql', SOURCE],
  ['prompt', PROMPTS],
  ['resource', RESOURCES],
];

describe.each(FILES)('a change of a %s', (file, cases) => {
  it.each(cases)('%s: %s', async (_what, expected, from, to, path) => {
    const changed = { ...BEFORE, [file]: replaced(BEFORE[file], from, to) };
    expect(classAt(path, compareSnapshots(await snapshotOf(BEFORE, {}), await snapshotOf(changed, {})))).toBe(
      expected,
    );
  });
});

describe('the same change for the lock', () => {
  const contractOf = async (files: Files) => toContract(await compileCatalog(await projectOf(files)));

  it.each(CONTRACT)('%s: %s', async (_what, expected, from, to, path) => {
    const changed = await contractOf({ ...BEFORE, tool: replaced(TOOL, from, to) });
    expect(classAt(path, compareContracts(await contractOf(BEFORE), changed))).toBe(expected);
  });

  it.each([...INSIDE, ...SOURCE].slice(0, 4))(
    '%s: clients do not see it',
    async (_what, _class, from, to) => {
      const changed = await contractOf({ ...BEFORE, tool: replaced(TOOL, from, to) });
      expect(compareContracts(await contractOf(BEFORE), changed)).toEqual([]);
    },
  );
});

it('a database looks the same through both engines', async () => {
  const path = join(folder(), 'shop.duckdb');
  await runScript(
    path,
    `CREATE TYPE mood AS ENUM ('good', 'bad');
    CREATE SCHEMA more;
    CREATE TABLE more.things (id BIGINT PRIMARY KEY, doc JSON, moment TIMESTAMPTZ, how mood, tags VARCHAR[],
      place STRUCT(x DOUBLE, "y y" DECIMAL(18, 3)), total INTEGER GENERATED ALWAYS AS (1 + 1), names MAP(VARCHAR, INTEGER));
    CREATE VIEW seen AS SELECT id, how AS "How" FROM more.things WHERE id > 1;
    COMMENT ON COLUMN more.things.id IS 'A number.';
    CREATE TEMP TABLE passing (x INTEGER);`,
  );
  const { signal } = new AbortController();
  const open = (engine: 'native' | 'wasm') => openNodeDatabase({ path, readonly: true, engine });
  const seen = [];
  for (const engine of ['native', 'wasm'] as const) {
    const database = await open(engine);
    seen.push(await readTables(database, signal));
    await database.close();
  }
  expect(seen[0]).toEqual(seen[1]);
  expect(Object.keys(seen[0] ?? {})).toEqual(['more.things', 'seen']);
  expect(seen[0]?.['more.things']?.columns.map(({ type, nullable }) => `${type} ${nullable}`)).toEqual([
    'BIGINT false',
    'JSON true',
    'TIMESTAMP WITH TIME ZONE true',
    "ENUM('good', 'bad') true",
    'VARCHAR[] true',
    'STRUCT(x DOUBLE, "y y" DECIMAL(18,3)) true',
    'INTEGER true',
    'MAP(VARCHAR, INTEGER) true',
  ]);
});

it('Python in a file, or another function of it, is another answer', async () => {
  const at = async (python: string) => {
    const project = await load({
      'tools/a.yml': 'tool: { name: a, language: python, source: { file: a.py } }',
      'tools/a.py': python,
    });
    return bareSnapshotOf(project);
  };
  const before = await at('def a():\n    return 1\n');
  expect(compareSnapshots(before, await at('def a():\n    return 2\n'))).toMatchObject([
    {
      class: 'breaking',
      subject: 'file tools/a.py',
      old: 'def a():\n    return 1',
      new: 'def a():\n    return 2',
    },
  ]);
  expect(compareSnapshots(before, await at('# one\ndef a():\n    return 1\n'))).toMatchObject([
    { class: 'wording' },
  ]);
});

it('large results that become a summary are another answer', async () => {
  const at = async (more: string) =>
    compileCatalog(await load({ 'tools/a.yml': `tool: { name: a, source: { code: SELECT 1 }${more} }` }));
  const [whole, linked] = [toContract(await at('')), toContract(await at(', large_result: { rows: 50 }'))];
  expect(compareContracts(whole, linked)).toMatchObject([{ class: 'breaking', path: 'large_result' }]);
  expect(compareContracts(linked, whole)).toMatchObject([{ class: 'widening', path: 'large_result' }]);
  expect(compareContracts(linked, linked)).toEqual([]);
});

it('rules of tables and attached databases of the SQL tools are another access', async () => {
  const at = async (more: string) => {
    const attach = 'profiles: { default: { database: { attach: [{ name: lake, uri: lake.duckdb }] } } }';
    const site = `${SITE}${attach}\nsql_tools: { enabled: true${more} }\n`;
    return bareSnapshotOf(await load({ 'svc-site.yml': site }));
  };
  const changesOf = (before: Snapshot, after: Snapshot) =>
    compareSnapshots(before, after)
      .filter(({ subject }) => subject === 'tool execute_sql_query')
      .map(({ class: name, path }) => `${name} ${path}`);
  const restricted = await at(', tables: [{ name: orders, rows: "x == user.claims.x", hide: [y] }]');
  expect(compareSnapshots(restricted, restricted)).toEqual([]);
  expect(changesOf(restricted, await at(', tables: [{ name: orders, hide: [y] }]'))).toEqual([
    'breaking tables',
  ]);
  expect(changesOf(restricted, await at(''))).toEqual(['breaking tables']);
  expect(changesOf(await at(''), await at(', attached: true'))).toEqual(['breaking unattached']);
});

it('a field that a rule hides no longer is another access', async () => {
  const at = async (fields: string, action = 'filter_sensitive_fields') => {
    const returns = `return: { type: array, items: { type: object, properties: { name: { type: string }, ${fields} } } }`;
    const policies = `policies: { output: [{ condition: "user.role != 'hr'", action: ${action} }] }`;
    const body = `source: { code: SELECT 1 AS pay }, ${returns}, ${policies}`;
    const resource = `resource: { uri: "shop://pay", ${body} }`;
    return bareSnapshotOf(
      await load({ 'tools/a.yml': `tool: { name: a, ${body} }`, 'resources/a.yml': resource }),
    );
  };
  const paths = (changes: readonly DriftChange[]) =>
    changes.filter((one) => one.class === 'breaking').map(({ subject, path }) => `${subject} ${path}`);
  const hidden = await at('pay: { type: integer, sensitive: true }, day: { type: string, sensitive: true }');
  const shown = await at('pay: { type: integer }, day: { type: string, sensitive: true }');
  expect(paths(compareSnapshots(hidden, shown))).toEqual([
    'resource shop://pay sensitive',
    'tool a sensitive',
  ]);
  expect(compareSnapshots(hidden, hidden)).toEqual([]);
  // Without such a rule, `sensitive` hides nothing from callers.
  const denies = await at('pay: { type: integer, sensitive: true }', 'deny');
  expect(compareSnapshots(denies, await at('pay: { type: integer }', 'deny'))).toEqual([]);
});

it('a completion that runs other SQL offers other values', async () => {
  const at = async (completion: string) => {
    const parameters = 'parameters: [{ name: id, type: string }, { name: day, type: string }]';
    const body = `${parameters}, completion: ${completion}`;
    return bareSnapshotOf(
      await load({
        'resources/a.yml': `resource: { uri: "shop://{id}/{day}", ${body}, source: { code: "SELECT $id AS id, $day AS day" } }`,
        'prompts/a.yml': `prompt: { name: p, ${body}, messages: [{ prompt: "{{ id }} {{ day }}" }] }`,
      }),
    );
  };
  const changesOf = (before: Snapshot, after: Snapshot) =>
    compareSnapshots(before, after).map(({ class: name, subject, path }) => `${name} ${subject} ${path}`);
  const [none, one] = [await at('{}'), await at('{ id: SELECT id FROM staff }')];
  const both = (text: string) =>
    ['prompt p', 'resource shop://{id}/{day}'].map((subject) => text.replace('*', subject));
  expect(changesOf(one, one)).toEqual([]);
  expect(changesOf(one, await at('{ id: SELECT ssn FROM staff }'))).toEqual(both('breaking * completion.id'));
  expect(changesOf(one, await at('{ id: "SELECT id  FROM staff -- all" }'))).toEqual(
    both('wording * completion.id'),
  );
  expect(changesOf(one, await at('{ id: SELECT id FROM staff, day: SELECT 1 }'))).toEqual(
    both('widening * completion.day'),
  );
  expect(changesOf(none, one)).toEqual(both('widening * completion.id'));
  expect(changesOf(one, none)).toEqual(both('breaking * completion.id'));
});

it.each([
  ['is new', '', ', cache: { ttl: 1h }', 'breaking'],
  ['is longer', ', cache: { ttl: 1m }', ', cache: { ttl: 1h }', 'breaking'],
  ['is shorter', ', cache: { ttl: 1h }', ', cache: { ttl: 1m }', 'widening'],
  ['is gone', ', cache: { ttl: 1h }', '', 'widening'],
])('a time that results are cached that %s', async (_what, before, after, expected) => {
  const at = async (more: string) =>
    bareSnapshotOf(await load({ 'tools/a.yml': `tool: { name: a, source: { code: SELECT 1 }${more} }` }));
  expect(compareSnapshots(await at(before), await at(after))).toMatchObject([
    { class: expected, path: 'cache' },
  ]);
});

it('a Python module that is gone breaks what imports it, although no endpoint names it', async () => {
  const project = await load({
    'tools/a.yml': 'tool: { name: a, language: python, source: { file: a.py } }',
    'tools/a.py': 'from prices import net\ndef a():\n    return net(1)\n',
  });
  const at = async (modules: Readonly<Record<string, string>>) => {
    const catalog = await compileCatalog(project);
    return toSnapshot({ project, catalog, tables: {}, reports: null, findings: [], modules });
  };
  const [without, having] = [await at({}), await at({ 'python/prices.py': 'def net(x):\n    return x\n' })];
  const gone = { subject: 'file python/prices.py', class: 'breaking', old: '2 lines' };
  expect(compareSnapshots(having, without)).toMatchObject([gone]);
  const fresh = { subject: 'file python/prices.py', class: 'widening', new: '2 lines' };
  expect(compareSnapshots(without, having)).toMatchObject([fresh]);
  expect(compareSnapshots(having, having)).toEqual([]);
});

it('of two tests with one name, the one that fails counts', async () => {
  const test = '{ name: x, arguments: [], result: 1 }';
  const project = await load({
    'tools/a.yml': `tool: { name: a, source: { code: SELECT 1 }, tests: [${test}, ${test}] }`,
  });
  const catalog = await compileCatalog(project);
  const at = (...statuses: readonly ('passed' | 'failed')[]) => {
    const tests = statuses.map((status) => ({ name: 'x', status, time_ms: 1 }));
    const reports = [{ endpoint: 'tool/a', path: 'tools/a.yml', tests }];
    return toSnapshot({ project, catalog, tables: {}, reports, findings: [] });
  };
  const failing = [{ class: 'breaking', path: 'tests.x' }];
  expect(compareSnapshots(at('passed', 'passed'), at('passed', 'failed'))).toMatchObject(failing);
  expect(compareSnapshots(at('passed', 'passed'), at('failed', 'passed'))).toMatchObject(failing);
  expect(compareSnapshots(at('passed', 'failed'), at('passed', 'passed'))).toMatchObject([
    { class: 'widening', path: 'tests.x' },
  ]);
});

it('another body of a macro is another answer, with both engines', async () => {
  const project = await load({ 'tools/a.yml': 'tool: { name: a, source: { code: SELECT net(1) } }' });
  const at = async (sql: string, engine: 'native' | 'wasm' = 'native') => {
    const path = join(folder(), 'shop.duckdb');
    await runScript(path, `CREATE TABLE t (x INTEGER);${sql}`);
    const database = await openNodeDatabase({ path, readonly: true, engine });
    const macros = await readMacros(database, new AbortController().signal);
    await database.close();
    const catalog = await compileCatalog(project);
    return toSnapshot({ project, catalog, tables: {}, macros, reports: null, findings: [] });
  };
  const sql = 'CREATE MACRO net(x) AS x * 0.8; CREATE MACRO few(n) AS TABLE SELECT * FROM t LIMIT n;';
  const before = await at(sql);
  expect(Object.keys(before.macros ?? {})).toEqual(['few(n)', 'net(x)']);
  expect(await at(sql, 'wasm')).toEqual(before);
  expect(compareSnapshots(before, await at(sql.replace('0.8', '0.1')))).toMatchObject([
    { class: 'breaking', subject: 'macro net(x)', path: 'sql' },
  ]);
  expect(compareSnapshots(before, await at(''))).toMatchObject([
    { class: 'breaking', subject: 'macro few(n)', message: 'SQL that calls it fails.' },
    { class: 'breaking', subject: 'macro net(x)' },
  ]);
  expect(compareSnapshots(before, await at(`${sql} CREATE MACRO more(x) AS x;`))).toMatchObject([
    { class: 'widening', subject: 'macro more(x)' },
  ]);
  expect(compareSnapshots(await at(''), before)).toEqual([]);
});

it('each overload of a macro is compared, and a table macro beside a scalar one of its name', async () => {
  const at = async (sql: string) => {
    const path = join(folder(), 'shop.duckdb');
    // Files of older versions cannot have typed parameters.
    const { openInstance } = await loadDriver();
    const instance = await openInstance(path, { storage_compatibility_version: 'v1.5.0' });
    const connection = await instance.connect();
    await connection.run(sql);
    connection.closeSync();
    instance.closeSync();
    const database = await openNodeDatabase({ path, readonly: true, engine: 'native' });
    const macros = await readMacros(database, new AbortController().signal);
    await database.close();
    return macros;
  };
  const sql = `CREATE MACRO next(a INTEGER) AS a + 1, (a VARCHAR) AS a || 'x';
    CREATE MACRO few(n) AS n + 1; CREATE MACRO few(n) AS TABLE SELECT n;`;
  const before = await at(sql);
  expect(Object.keys(before)).toEqual(['few(n)', 'next(a INTEGER)', 'next(a VARCHAR)']);
  for (const [from, to, subject] of [
    ['a + 1', 'a + 2', 'macro next(a INTEGER)'],
    ["'x'", "'y'", 'macro next(a VARCHAR)'],
    ['n + 1', 'n + 2', 'macro few(n)'],
    ['SELECT n', 'SELECT n + 1', 'macro few(n)'],
  ] as const) {
    expect(compareMacros(before, await at(replaced(sql, from, to)))).toMatchObject([
      { class: 'breaking', subject, path: 'sql' },
    ]);
  }
});

it('a prompt that embeds another resource is another prompt', async () => {
  const at = async (uri: string) => {
    const prompt = `prompt: { name: p, messages: [{ type: resource, prompt: "${uri}" }] }`;
    const other = RESOURCE.replace('shop://terms', 'shop://rules');
    const files = { 'resources/terms.yml': RESOURCE, 'resources/rules.yml': other };
    return bareSnapshotOf(await load({ 'prompts/p.yml': prompt, ...files }));
  };
  expect(compareSnapshots(await at('shop://terms'), await at('shop://rules'))).toMatchObject([
    { class: 'breaking', subject: 'prompt p', path: 'messages' },
  ]);
});

it('the matrix has at least 40 changes of every class', () => {
  const all = [...TABLES, ...CONTRACT, ...INSIDE, ...SOURCE, ...PROMPTS, ...RESOURCES];
  expect(all.length).toBeGreaterThanOrEqual(40);
  expect(new Set(all.map(([, name]) => name)).size).toBe(3);
});

it.each([
  ['the skill itself', 'skills/close/SKILL.md', 'resource skill://close/SKILL.md'],
  ['a file beside it', 'skills/close/steps.md', 'resource skill://close/steps.md'],
])('another text of %s is another wording', async (_, path, subject) => {
  const files: Readonly<Record<string, string>> = {
    'skills/close/SKILL.md': '---\nname: close\ndescription: How to close\n---\nRead steps.md.\n',
    'skills/close/steps.md': 'One.\n',
  };
  const at = async (more: string) =>
    bareSnapshotOf(await load({ ...files, [path]: `${files[path]}${more}` }));
  const before = await at('');
  expect(compareSnapshots(before, await at(''))).toEqual([]);
  expect(compareSnapshots(before, await at('Two.\n'))).toMatchObject([
    { class: 'wording', subject, message: 'Its text differs.' },
  ]);
});
