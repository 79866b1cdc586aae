import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppOptions, createApp } from '../../../../src/app.ts';
import { checkCatalog } from '../../../../src/catalog/checks/check.ts';
import type { User } from '../../../../src/context.ts';
import { createKeyRing, generateKey, parseKeys } from '../../../../src/crypto/keys.ts';
import { createSealer } from '../../../../src/crypto/seal.ts';
import { LOCAL_ACCESS } from '../../../../src/http/access.ts';
import type { JsonObject } from '../../../../src/json.ts';
import { ALICE, loadTree, type Served, serveTree } from '../../call/project.ts';
import { exchange, legacy, modern } from '../fixture.ts';

const ROWS = 3_000;
const SEED = `CREATE TABLE sales AS SELECT i AS id, 'shop ' || (i % 7) AS shop, (i * 1.5)::DOUBLE AS total,
  i % 2 = 0 AS paid, CASE WHEN i % 10 = 0 THEN NULL ELSE 'a, "b"' || chr(10) || i END AS note,
  'secret-' || i AS card FROM range(${ROWS}) t(i)`;

const tool = (name: string, keys: string) => `tool:
  name: ${name}
  ${keys}
  policies: { output: [{ condition: "user.role != 'boss'", action: mask_fields, fields: [card] }] }
  source: { code: SELECT * FROM sales ORDER BY id }
`;
const TREE = {
  'tools/csv.yml': tool('csv', 'large_result: {}'),
  'tools/json.yml': tool('json', 'large_result: { format: json, minutes: 1 }'),
  'tools/parquet.yml': tool('parquet', 'large_result: { format: parquet }'),
  'tools/bounded.yml': tool('bounded', 'large_result: { rows: 10 }\n  limits: { rows: 50 }'),
  'tools/few.yml': tool('few', 'large_result: { rows: 10 }').replace('ORDER BY id', 'ORDER BY id LIMIT 10'),
  'tools/least.yml': `tool:
  name: least
  large_result: { rows: 10 }
  return: { type: array, minItems: 8, items: { type: object } }
  source: { code: SELECT id FROM sales }
`,
  'tools/asked.yml': `tool:
  name: asked
  parameters: [{ name: word, type: string }]
  large_result: {}
  source: { code: SELECT id FROM sales WHERE $word <> '' }
`,
  'tools/text.yml': `tool:
  name: text
  parameters: [{ name: form, type: string }]
  format: markdown
  return: { type: array, items: { type: object, properties: { a: { type: integer } } } }
  source: { code: "SELECT 1 AS a, 'x|y' AS b, NULL AS c WHERE $form <> 'none'" }
`,
  'tools/plain.yml': `tool:
  name: plain
  format: csv
  source: { code: "SELECT 1 AS a, 'x,y' AS b, '' AS c, NULL AS d, {'n': 1} AS e" }
`,
};

const FORMS = ['csv', 'markdown'] as const;
/** Tools that return their rows in each form of `format`. */
const ROWS_IN_FORM = {
  none: 'SELECT 1 AS a WHERE false',
  odd: `SELECT unnest(['x', NULL, '', 'end  ', NULL]) AS a`,
  lines: `SELECT 'a' || chr(13) || 'b' AS a, 'c' || chr(13) || chr(10) || 'd' AS b`,
  huge: `SELECT repeat('x', 2000) AS a`,
} as const;
const FORM_TREE = Object.fromEntries(
  FORMS.flatMap((format) =>
    Object.entries(ROWS_IN_FORM).map(([name, sql]) => [
      `tools/${name}_${format}.yml`,
      `tool:\n  name: ${name}_${format}\n  format: ${format}\n  limits: { bytes: 1024 }\n  source: { code: "${sql}" }\n`,
    ]),
  ),
);

/** The years stand before all other columns in JSON, whose objects keep no other order for them. */
const YEARS = `SELECT 'EU' AS region, 9 AS total, 1 AS "2024", 2 AS "2023" UNION ALL SELECT 'US', 8, 3, 4`;
const years = (name: string, keys: string, action = 'mask_fields, fields: [total]') => `tool:
  name: ${name}
  ${keys}
  policies: { output: [{ condition: "user.role != 'boss'", action: ${action} }] }
  source:
    code: |
      ${YEARS}
`;
const YEARS_TREE = {
  'tools/years.yml': years('years', 'format: csv'),
  'tools/fewer_years.yml': years('fewer_years', 'format: markdown', "filter_fields, fields: [total, '2024']"),
  'tools/all_years.yml': years('all_years', 'large_result: { rows: 1 }'),
};

const BOSS: User = { ...ALICE, id: 'u-2', role: 'boss' };
const NOT_OPENED = 'The link is too old, or it belongs to another caller. Call the tool again.';
let served: Served;
let now = 1_800_000_000_000;

beforeAll(async () => {
  served = await serveTree({ ...TREE, ...FORM_TREE, ...YEARS_TREE }, SEED);
});
afterAll(() => served.close());

const ring = createKeyRing(parseKeys([generateKey()]));

/** One of several instances with the same keys. */
function appOf(user: User | null, options: Partial<AppOptions> = {}) {
  const sealer = createSealer({ ring, now: () => now, notBefore: null });
  return createApp({
    runtime: () => served.runtime,
    version: '1.2.3',
    stateless: true,
    log: served.runtime.log,
    access: LOCAL_ACCESS,
    sealer: sealer,
    authenticate: async () => ({ user, scopes: [] }),
    ...options,
  });
}

interface CallResult {
  readonly content: { type: string; text?: string; uri?: string; mimeType?: string; name?: string }[];
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
}

type Write = (
  method: string,
  params: { [key: string]: unknown },
) => ReturnType<typeof legacy | typeof modern>;

async function call(name: string, user: User | null = ALICE, write: Write = modern): Promise<CallResult> {
  const { json } = await exchange(appOf(user), write('tools/call', { name, arguments: {} }));
  return json.result as CallResult;
}

function linkOf({ content }: CallResult) {
  const link = content.find(({ type }) => type === 'resource_link');
  if (link?.uri === undefined) throw new Error(`no link in ${JSON.stringify(content)}`);
  return { ...link, uri: link.uri };
}

async function read(uri: string, user: User | null = ALICE) {
  const { json } = await exchange(appOf(user), modern('resources/read', { uri }));
  return json as { result?: { contents: { text?: string; blob?: string }[] }; error?: { message: string } };
}

/** Reads a file as DuckDB does. */
async function query(sql: (path: string) => string, content: string | Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-file-'));
  const path = join(folder, 'file');
  await writeFile(path, content);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql(path))).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true });
  }
}

const FIGURES = `count(*)::INT AS n, sum(id)::INT AS ids, sum(total)::INT AS total, count(note)::INT AS notes, count(*) FILTER (paid)::INT AS paid, min(card) AS card, max(note) AS note`;
const EXPECTED = [
  { n: ROWS, ids: 4_498_500, total: 6_747_750, notes: 2_700, paid: 1_500, card: '****', note: 'a, "b"\n999' },
];

describe('a large result', () => {
  // Requirements: large.summary
  it.each([
    ['modern', modern],
    ['legacy', legacy],
  ])('is a summary of under 400 tokens with a link: %s', async (_, write) => {
    const result = await call('csv', ALICE, write);
    const [summary, link] = result.content;
    expect(summary?.text).toContain('3,000 rows, 6 columns.');
    expect(summary?.text).toContain('id: 0 to 2999, over 1000 distinct');
    expect(summary?.text).toContain('shop: shop 0 to shop 6, 7 distinct');
    expect(summary?.text).toContain('300 empty');
    expect(summary?.text).toContain('card: ****, 1 distinct');
    expect(summary?.text?.length).toBeLessThan(1_600);
    expect(link).toMatchObject({ type: 'resource_link', name: 'csv.csv', mimeType: 'text/csv' });
    expect(result._meta).toMatchObject({ 'svc-kit/truncated': { reason: 'rows', limit: 5 } });
    const rows = result.structuredContent as { result?: unknown[] } | unknown[];
    expect(Array.isArray(rows) ? rows : rows.result).toHaveLength(5);
  });

  // Requirements: large.summary
  it('is sent whole up to its number of rows', async () => {
    const { content, structuredContent } = await call('few');
    expect(content).toHaveLength(1);
    expect(structuredContent).toHaveLength(10);
  });

  // Requirements: large.summary
  it('fits its schema, which asks for no more rows than it has', async () => {
    const { json } = await exchange(appOf(ALICE), modern('tools/list'));
    const { tools } = json.result as { tools: { name: string; outputSchema?: JsonObject }[] };
    const schema = tools.find(({ name }) => name === 'least')?.outputSchema ?? {};
    const { structuredContent } = await call('least');
    expect(structuredContent).toHaveLength(5);
    const check = new AjvJsonSchemaValidator().getValidator(schema);
    expect(check(structuredContent)).toMatchObject({ valid: true });
  });

  // Requirements: large.formats
  it('is read whole as CSV, JSON and Parquet, masked for its reader', async () => {
    const csv = (await read(linkOf(await call('csv')).uri)).result?.contents[0]?.text ?? '';
    expect(
      await query((path) => `SELECT ${FIGURES} FROM read_csv('${path}', all_varchar = false)`, csv),
    ).toEqual(EXPECTED);
    const json = (await read(linkOf(await call('json')).uri)).result?.contents[0]?.text ?? '';
    expect(await query((path) => `SELECT ${FIGURES} FROM read_json('${path}')`, json)).toEqual(EXPECTED);
    const { blob = '' } = (await read(linkOf(await call('parquet')).uri)).result?.contents[0] ?? {};
    const parquet = Buffer.from(blob, 'base64');
    expect(await query((path) => `SELECT ${FIGURES} FROM read_parquet('${path}')`, parquet)).toEqual(
      EXPECTED,
    );
  });

  it('keeps the order of its columns', async () => {
    const { text } = (await read(linkOf(await call('all_years')).uri)).result?.contents[0] ?? {};
    expect(text).toBe('region,total,2024,2023\r\nEU,****,1,2\r\nUS,****,3,4\r\n');
  });

  // Requirements: large.sealed
  it('is shown to its reader as the policies of the reading say', async () => {
    const { uri } = linkOf(await call('csv', BOSS));
    expect((await read(uri, BOSS)).result?.contents[0]?.text).toContain('secret-2999');
    const demoted = await read(uri, { ...BOSS, role: 'clerk' });
    expect(demoted.result?.contents[0]?.text).not.toContain('secret');
  });

  // Requirements: large.sealed
  it('does not open for another caller, changed, of another server, or too late', async () => {
    const { uri } = linkOf(await call('json', BOSS));
    for (const user of [ALICE, null]) {
      expect((await read(uri, user)).error?.message).toContain('belongs to another caller');
    }
    const changed = `${uri.slice(0, -1)}${uri.endsWith('A') ? 'B' : 'A'}`;
    expect((await read(changed, BOSS)).error?.message).toBe(NOT_OPENED);
    const other = createSealer({
      ring: createKeyRing(parseKeys([generateKey()])),
      now: () => now,
      notBefore: null,
    });
    const { json } = await exchange(appOf(BOSS, { sealer: other }), modern('resources/read', { uri }));
    expect((json.error as { message: string }).message).toBe(NOT_OPENED);
    now += 61_000;
    expect((await read(uri, BOSS)).error?.message).toContain('too old');
  });

  // Requirements: large.bounded
  it('is bounded by the limits of its tool, and says so', async () => {
    const result = await call('bounded');
    expect(result.content[0]?.text).toContain('More than 50 rows');
    const { result: file } = await read(linkOf(result).uri);
    expect(file?.contents[0]?.text?.split('\r\n')).toHaveLength(
      // The quoted notes have no line break of this kind.
      52,
    );
    expect(file?.contents[1]?.text).toContain('Truncated (rows)');
  });

  // Requirements: large.audited
  it('is recorded as a call of its tool whenever it is read', async () => {
    const { uri } = linkOf(await call('csv'));
    const before = served.records.length;
    await read(uri);
    expect(served.records.slice(before)).toMatchObject([{ kind: 'tool', name: 'csv', status: 'success' }]);
    await read(uri, BOSS);
    expect(served.records.at(-1)).toMatchObject({ kind: 'resource', name: 'svc-result:', status: 'error' });
  });

  // Requirements: large.summary
  it('has no link if the arguments are too long for one', async () => {
    const long = { name: 'asked', arguments: { word: 'x'.repeat(10_000) } };
    const { json } = await exchange(appOf(ALICE), modern('tools/call', long));
    const { content } = json.result as CallResult;
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('too long for a link') }]);
  });
});

describe('the text of a result', () => {
  // Requirements: large.format
  it('is all that a client gets in the form of `format`', async () => {
    const asked = modern('tools/call', { name: 'text', arguments: { form: 'x' } });
    const { json } = await exchange(appOf(null), asked);
    expect(json.result).toMatchObject({
      content: [{ type: 'text', text: '| a | b | c |\n|---|---|---|\n| 1 | x\\|y |  |' }],
    });
    expect(json.result).not.toHaveProperty('structuredContent');
    expect((await call('plain')).content).toEqual([
      { type: 'text', text: 'a,b,c,d,e\n1,"x,y","",,"{""n"":1}"' },
    ]);
    const listed = await exchange(appOf(null), modern('tools/list'));
    const tools = (listed.json.result as { tools: { name: string; outputSchema?: unknown }[] }).tools;
    expect(tools.find(({ name }) => name === 'text')?.outputSchema).toBeUndefined();
  });
});

describe('the text of a result in the form of `format`', () => {
  // Requirements: large.format
  it.each([
    ['none_csv', 'No rows.'],
    ['none_markdown', 'No rows.'],
    ['huge_csv', 'No row is shown.'],
    ['years', 'region,total,2024,2023\nEU,****,1,2\nUS,****,3,4'],
    ['fewer_years', '| region | 2023 |\n|---|---|\n| EU | 2 |\n| US | 4 |'],
    // A line without anything would be no row for a reader of CSV.
    ['odd_csv', 'a\nx\n""\n""\nend  \n""'],
    ['odd_markdown', '| a |\n|---|\n| x |\n|  |\n|  |\n| end   |\n|  |'],
    ['lines_markdown', '| a | b |\n|---|---|\n| a<br>b | c<br>d |'],
  ])('has every row of %s', async (name, text) => {
    expect((await call(name)).content[0]).toEqual({ type: 'text', text });
  });
});

describe('a project with `large_result`', () => {
  // Requirements: large.sealed
  it.each([
    ['SELECT 1 AS a', 'return: { type: object }', 'needs a result of rows'],
    ['SELECT 1 AS a', 'confirm: Sure?', 'cannot be used with `confirm`'],
    ['DELETE FROM sales RETURNING id', '', 'the SQL writes'],
  ])('cannot have %s with %j', async (code, more, message) => {
    const text = `tool:\n  name: bad\n  large_result: {}\n  ${more}\n  source: { code: ${code} }\n`;
    const project = await loadTree({ 'tools/bad.yml': text });
    const findings = [...project.findings, ...(await checkCatalog(project))];
    expect(findings.map((finding) => finding.message).join('\n')).toContain(message);
  });
});
