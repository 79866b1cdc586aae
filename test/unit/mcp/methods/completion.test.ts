import { afterAll, beforeAll, expect, it } from 'vitest';
import { completeParameter } from '../../../../src/call/completion.ts';
import type { User } from '../../../../src/context.ts';
import { ALICE, contextOf, type Served, serveTree } from '../../call/project.ts';
import { createTestApp, exchange, modern } from '../fixture.ts';

const LETTER = `prompt:
  name: letter
  parameters:
    - { name: country, type: string, enum: [DE, FR] }
    - { name: customer, type: string }
    - { name: broken, type: string }
    - { name: mine, type: string }
  completion:
    customer: SELECT name FROM customers WHERE name ILIKE $value || '%' AND country = coalesce($country, country) ORDER BY name
    broken: SELECT error('secret') AS e
    mine: SELECT get_username() AS name
  messages: [{ prompt: "To {{ customer }} in {{ country }} {{ broken }} {{ mine }}" }]
`;
const NUMBER = `resource:
  uri: number://{n}
  parameters: [{ name: n, type: integer }]
  completion: { n: SELECT i FROM range(300) t(i) WHERE i::VARCHAR LIKE $value || '%' ORDER BY i }
  policies: { input: [{ condition: user.role == 'anonymous', action: deny }] }
  source: { code: SELECT $n AS n }
`;
const LIMITED = `resource:
  uri: limited://{name}/{Country}/{n}
  parameters: [{ name: name, type: string }, { name: Country, type: string }, { name: n, type: integer }]
  completion:
    name: SELECT name FROM customers WHERE starts_with(name, $value) ORDER BY name
    Country: SELECT DISTINCT country AS Country FROM customers ORDER BY ALL
    n: SELECT 7 AS n
  policies:
    output:
      - { condition: "size(response) > 0", action: filter_fields, fields: [n] }
      - { condition: "user.role == 'analyst'", action: mask_fields, fields: [COUNTRY] }
      - { condition: "user.role == 'guest'", action: filter_fields, fields: [name.first] }
      - { condition: "user.role == 'anonymous'", action: deny }
      - { condition: "user.role == 'odd' && user.claims.missing > 1", action: mask_fields, fields: [n] }
  source: { code: "SELECT {'first': name} AS name, country, 1 AS n FROM customers WHERE name = $name AND country = $Country AND 1 = $n" }
`;
const RENAMED = `resource:
  uri: renamed://{name}/{sum}/{n}/{value}
  parameters: [{ name: name, type: string }, { name: sum, type: string }, { name: n, type: integer }, { name: value, type: integer }]
  completion:
    name: SELECT name AS v FROM customers WHERE starts_with(name, $value) ORDER BY name
    sum: SELECT upper(country) FROM customers WHERE country IS NOT NULL ORDER BY ALL
    n: SELECT 7 AS N
    value: SELECT 'x' AS "home.CITY"
  policies:
    output:
      - { condition: "user.role == 'analyst'", action: filter_fields, fields: [name] }
      - { condition: "user.role == 'guest'", action: mask_fields, fields: [home.street] }
      - { condition: "size(response) > 0", action: mask_fields, fields: [n] }
  source: { code: "SELECT name, 1 AS n, {'city': 'x', 'street': 'y'} AS home FROM customers WHERE name = $name AND $sum = $sum AND $n + $value > date_diff('day', now(), now())" }
`;
const PYTHON = `resource:
  uri: python://{a}/{b}
  parameters: [{ name: a, type: string }, { name: b, type: string }]
  completion: { a: "SELECT name AS declared FROM customers", b: "SELECT name AS v FROM customers" }
  policies: { output: [{ condition: "user.role == 'analyst'", action: filter_fields, fields: [secret] }] }
  return: { type: object, properties: { declared: { type: string }, secret: { type: string } } }
  source: { file: ../python/one.py }
`;
const UNKNOWN = `resource:
  uri: unknown://{a}
  parameters: [{ name: a, type: string }]
  completion: { a: "SELECT name FROM customers" }
  policies: { output: [{ condition: "user.role == 'analyst'", action: filter_fields, fields: [other] }] }
  source: { code: "SELECT $a + INTERVAL 1 DAY AS name, 1 AS other" }
`;
const PROMPT = `prompt:
  name: note
  parameters: [{ name: customer, type: string }]
  completion: { customer: SELECT name FROM customers ORDER BY name }
  policies: { output: [{ condition: "true", action: filter_fields, fields: [role] }] }
  messages: [{ prompt: "{{ customer }}" }]
`;
const TYPED = `resource:
  uri: typed://{code}/{year}/{value}
  parameters: [{ name: code, type: string }, { name: year, type: integer }, { name: value, type: integer }]
  completion: { value: SELECT typeof($year) || ' ' || typeof($value) || ' ' || $value AS types }
  source: { code: "SELECT $code AS code, $year AS year, $value AS value" }
`;
const SEED = `CREATE TABLE customers AS SELECT * FROM (VALUES
  ('Ada', 'DE'), ('Alan', 'FR'), ('Grace', 'DE'), (NULL, 'DE')) t(name, country)`;

const SECRET = `prompt:
  name: closed
  scopes: ["shop:night"]
  parameters: [{ name: code, type: string, enum: [Aldebaran] }]
  messages: [{ prompt: "{{ code }}" }]
`;

let served: Served;
let user: User | null = null;
let app: ReturnType<typeof createTestApp>;
beforeAll(async () => {
  const tree = {
    'prompts/letter.yml': LETTER,
    'prompts/closed.yml': SECRET,
    'resources/number.yml': NUMBER,
    'resources/limited.yml': LIMITED,
    'resources/typed.yml': TYPED,
    'resources/renamed.yml': RENAMED,
    'resources/python.yml': PYTHON,
    'resources/unknown.yml': UNKNOWN,
    'python/one.py': 'def one(a, b):\n    return {}\n',
    'prompts/note.yml': PROMPT,
  };
  served = await serveTree(tree, SEED);
  app = createTestApp(served.runtime, { authenticate: async () => ({ user }) });
});
afterAll(() => served.close());

async function complete(ref: object, name: string, value: string, filled: Record<string, string> = {}) {
  const params = { ref, argument: { name, value }, context: { arguments: filled } };
  const { json } = await exchange(app, modern('completion/complete', params));
  const { result, error } = json as { result?: { completion: object }; error?: object };
  return result?.completion ?? error;
}
const letter = { type: 'ref/prompt', name: 'letter' };
const number = { type: 'ref/resource', uri: 'number://{n}' };

it('offers values of an endpoint to who may call it only', async () => {
  const entry = served.runtime.catalog.prompts.closed;
  if (entry === undefined) throw new Error('no such prompt');
  const typed = { name: 'code', value: 'A', args: {} };
  const offered = (scopes: readonly string[]) =>
    completeParameter(served.runtime, entry, typed, { context: { ...contextOf(), scopes }, most: 100 });
  expect(await offered([])).toEqual([]);
  expect(await offered(['shop:night'])).toBeNull();
});

it('offers what the SQL of a parameter finds for what was typed', async () => {
  expect(await complete(letter, 'customer', 'a')).toEqual({
    values: ['Ada', 'Alan'],
    total: 2,
    hasMore: false,
  });
  expect(await complete(letter, 'customer', '')).toMatchObject({ values: ['Ada', 'Alan', 'Grace'] });
  expect(await complete(letter, 'customer', "'; DROP TABLE customers; --")).toMatchObject({ values: [] });
});

it('knows what is filled in already, and leaves aside what does not fit', async () => {
  expect(await complete(letter, 'customer', 'a', { country: 'FR' })).toMatchObject({ values: ['Alan'] });
  expect(await complete(letter, 'customer', 'a', { country: 'XX', other: '1' })).toMatchObject({
    values: ['Ada', 'Alan'],
  });
});

it('gives SQL the other values in their types, and what was typed as text', async () => {
  const ref = { type: 'ref/resource', uri: 'typed://{code}/{year}/{value}' };
  expect(await complete(ref, 'value', '2x', { year: '2026' })).toMatchObject({
    values: ['INTEGER VARCHAR 2x'],
  });
});

it('offers declared values where there is no SQL, and nothing for what is not declared', async () => {
  expect(await complete(letter, 'country', 'd')).toMatchObject({ values: ['DE'] });
  expect(await complete(letter, 'nothing', '')).toMatchObject({ values: [] });
});

// Requirements: mcp.completion
it('offers a hundred values at most, and says that there are more', async () => {
  user = ALICE;
  expect(await complete(number, 'n', '29')).toMatchObject({ total: 11, hasMore: false });
  const { values, ...rest } = (await complete(number, 'n', '')) as { values: string[] };
  expect(values).toHaveLength(100);
  expect(rest).toEqual({ hasMore: true });
  user = null;
});

it('offers nothing to whom the endpoint is closed, and to everybody their own', async () => {
  expect(await complete(number, 'n', '1')).toMatchObject({ values: [] });
  expect(await complete(letter, 'mine', '')).toMatchObject({ values: [] });
  user = ALICE;
  expect(await complete(letter, 'mine', '')).toMatchObject({ values: ['alice'] });
  user = null;
});

// Requirements: noninterference.completion
it.each([
  ['analyst', { name: 3, Country: 0, n: 1 }],
  ['guest', { name: 0, Country: 2, n: 1 }],
  ['boss', { name: 3, Country: 2, n: 1 }],
  ['odd', { name: 0, Country: 0, n: 0 }],
  [null, { name: 0, Country: 0, n: 0 }],
])('offers the role %s no values that output policies hide', async (role, expected) => {
  user = role === null ? null : { ...ALICE, role };
  for (const [name, total] of Object.entries(expected)) {
    const ref = { type: 'ref/resource', uri: 'limited://{name}/{Country}/{n}' };
    expect(await complete(ref, name, '')).toMatchObject({ total });
  }
  user = null;
});

// Requirements: noninterference.completion
it.each([
  ['renamed://{name}/{sum}/{n}/{value}', 'analyst', { name: 0, sum: 0, n: 1, value: 1 }],
  ['renamed://{name}/{sum}/{n}/{value}', 'guest', { name: 0, sum: 0, n: 1, value: 1 }],
  ['renamed://{name}/{sum}/{n}/{value}', 'boss', { name: 3, sum: 4, n: 1, value: 1 }],
  // No example value fits its statement, so the columns are not known.
  ['unknown://{a}', 'analyst', { a: 0 }],
  ['unknown://{a}', 'boss', { a: 3 }],
  ['python://{a}/{b}', 'analyst', { a: 3, b: 0 }],
  ['python://{a}/{b}', 'boss', { a: 3, b: 3 }],
])(
  'gives no values of %s to the role %s if a rule hides fields, and the column may be one',
  async (uri, role, expected) => {
    user = { ...ALICE, role };
    for (const [name, total] of Object.entries(expected)) {
      expect(await complete({ type: 'ref/resource', uri }, name, '')).toMatchObject({ total });
    }
    user = null;
  },
);

it('offers values of a prompt, which has no columns', async () => {
  expect(await complete({ type: 'ref/prompt', name: 'note' }, 'customer', '')).toMatchObject({ total: 3 });
});

it('says of a failure only the id that the log has', async () => {
  const error = await complete(letter, 'broken', '');
  expect(error).toMatchObject({ code: -32603, data: { error_id: expect.any(String) } });
  expect(JSON.stringify(error)).not.toContain('secret');
  expect(served.lines.at(-1)).toMatchObject({ level: 'error', fields: { code: 'sql_failed' } });
});
