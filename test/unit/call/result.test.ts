import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import type { SvcError } from '../../../src/errors.ts';
import type { Database } from '../../../src/ports.ts';
import { contextOf, errorOf, type Served, serveTree } from './project.ts';

const tool = (name: string, sql: string, more = '') =>
  `tool:\n  name: ${name}\n${more}  source: { code: "${sql}" }\n`;
const resource = (name: string, sql: string, more = '') =>
  `resource:\n  uri: r://${name}\n  name: ${name}\n${more}  source: { code: "${sql}" }\n`;

const SMALL = '  limits: { rows: 10, bytes: 1024 }\n';
const OBJECT = '  return: { type: object }\n';
const STRING = '  return: { type: string }\n';
const HIDE = '  policies: { output: [{ condition: "true", action: filter_fields, fields: [secret] }] }\n';
const MARKDOWN = '  mime_type: text/markdown\n';
const PNG = '  mime_type: image/png\n';
const PDF = '  mime_type: application/pdf\n';

const TREE = {
  'tools/a.yml': tool('many', 'SELECT i FROM range(11) t(i)', SMALL),
  'tools/b.yml': tool('fits', 'SELECT i FROM range(10) t(i)', SMALL),
  'tools/c.yml': tool('wide', "SELECT repeat('東', 50) AS t FROM range(10)", SMALL),
  'tools/d.yml': tool('huge', "SELECT repeat('x', 2000) AS t", SMALL + OBJECT),
  'tools/e.yml': tool('two', 'SELECT i FROM range(2) t(i)', OBJECT),
  'tools/f.yml': tool('none', 'SELECT 1 AS x WHERE false', OBJECT),
  'tools/g.yml': tool('wrong', 'SELECT 1 AS x', STRING),
  'tools/h.yml': tool('giants', "SELECT repeat('x', 1000000) AS t FROM range(3)", SMALL),
  'tools/i.yml': tool('wides', "SELECT repeat('x', 150) AS t FROM range(9)", SMALL),
  'tools/j.yml': tool('giant', "SELECT repeat('x', 1000000) AS t", SMALL + STRING),
  'tools/k.yml': tool('hidden', "SELECT 1 AS id, repeat('x', 1000000) AS secret", SMALL + HIDE),
  'tools/l.yml': tool('hidden-giant', "SELECT 1 AS id, repeat('x', 70000000) AS secret", SMALL + HIDE),
  'tools/m.yml': tool('giant-png', "SELECT repeat('x', 1000000)::BLOB AS t", SMALL + PNG),
  'tools/n.yml': tool('ended', 'SELECT i FROM range(2) t(i); -- all of them;'),
  'resources/a.yml': resource('doc', "SELECT '# Hi' AS t", MARKDOWN),
  'resources/b.yml': resource('rows', "SELECT i, 'x' AS t FROM range(2) t(i)", MARKDOWN),
  'resources/c.yml': resource('pdf', "SELECT 'ab'::BLOB AS b", PDF),
  'resources/d.yml': resource('nobody', "SELECT 'x' AS t WHERE false", MARKDOWN),
  'resources/e.yml': resource('scalar', "SELECT 'x' AS t", STRING),
  'resources/f.yml': resource('blob', "SELECT 'ab'::BLOB AS b"),
  'resources/h.yml': resource(
    'wrong',
    'SELECT 1 AS x',
    '  return: { type: object, properties: { x: { type: string } } }\n',
  ),
  'resources/g.yml': resource('empty', 'SELECT NULL::BLOB AS b', PDF),
};

let served: Served;
beforeAll(async () => {
  served = await serveTree(TREE, 'SELECT 1');
});
afterAll(() => served.close());

function call(name: string, options = {}) {
  const entry = served.runtime.catalog.tools[name];
  if (entry === undefined) throw new Error(name);
  return callEndpoint({ runtime: served.runtime, entry, args: {}, context: contextOf(), ...options });
}
function read(name: string) {
  const entry = served.runtime.catalog.resources[`r://${name}`];
  if (entry === undefined) throw new Error(name);
  return callEndpoint({ runtime: served.runtime, entry, args: {}, context: contextOf() });
}

/** Makes a call and collects the rows that the engine sends for it. */
async function callWatched(name: string) {
  const sent: number[] = [];
  const database = await served.runtime.database();
  const watched: Database = {
    ...database,
    engine: database.engine,
    readonly: database.readonly,
    run: async (request, sqlCall) => {
      const result = await database.run(request, sqlCall);
      sent.push(result.rows.length);
      return result;
    },
    prepare: (sql, mode) => database.prepare(sql, mode),
    close: () => database.close(),
  };
  const runtime = { ...served.runtime, database: async () => watched };
  return { sent, outcome: await call(name, { runtime }).catch((thrown: SvcError) => thrown) };
}

describe('the limits of a result', () => {
  it.each([
    ['giants', 0],
    ['wides', 6],
  ])('keep rows of %s in the engine that are beyond the bytes', async (name, count) => {
    const { sent, outcome } = await callWatched(name);
    expect(sent).toEqual([count]);
    expect(outcome).toMatchObject({ truncated: { reason: 'bytes', limit: 1024 } });
    expect(outcome).toMatchObject({ value: { length: count } });
  });

  it.each(['giant', 'giant-png'])('keep the value of %s in the engine', async (name) => {
    const { sent, outcome } = await callWatched(name);
    expect(sent).toEqual([0]);
    expect(outcome).toMatchObject({ code: 'result_too_large' });
    expect(String(outcome)).toContain('larger than the 1024 bytes');
  });

  it('do not count what output policies hide, up to a limit of its own', async () => {
    const { sent, outcome } = await callWatched('hidden');
    expect(sent).toEqual([1]);
    expect(outcome).toMatchObject({ value: [{ id: 1 }], truncated: null });
    const tooMuch = await callWatched('hidden-giant');
    expect(tooMuch.sent).toEqual([0]);
    expect(tooMuch.outcome).toMatchObject({ code: 'result_too_large' });
    expect(String(tooMuch.outcome)).toContain('output policies of hidden-giant');
  });

  // Requirements: limit.others
  it('cut rows, and say so', async () => {
    const { value, truncated } = await call('many');
    expect(value).toHaveLength(10);
    expect(truncated).toMatchObject({ reason: 'rows', limit: 10 });
    expect((await call('fits')).truncated).toBeNull();
  });

  it('cut a list to bytes, not to characters', async () => {
    const { value, text, truncated } = await call('wide');
    expect(value).toHaveLength(6);
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(1024);
    expect(truncated).toMatchObject({ reason: 'bytes', limit: 1024 });
  });

  // Requirements: limit.others
  it('refuse what cannot be cut', async () => {
    expect((await errorOf(call('huge'))).code).toBe('result_too_large');
  });
});

describe('the shape of a result', () => {
  it('is the same if the statement ends with a semicolon', async () => {
    expect((await call('ended')).value).toEqual([{ i: 0 }, { i: 1 }]);
  });

  it('is one row for an object: neither more nor none', async () => {
    expect((await errorOf(call('two'))).code).toBe('result_invalid');
    expect((await errorOf(call('none'))).code).toBe('not_found');
  });

  // Requirements: endpoint.return
  it('is checked unless the caller does without', async () => {
    expect((await errorOf(call('wrong'))).code).toBe('result_invalid');
    expect((await call('wrong', { checkResult: false })).value).toBe(1);
    expect((await errorOf(read('wrong'))).code).toBe('result_invalid');
  });
});

describe('the content of a resource', () => {
  it('is the one value of a document, as it is', async () => {
    expect(await read('doc')).toMatchObject({ value: '# Hi', text: '# Hi', binary: false });
    expect(await read('scalar')).toMatchObject({ text: 'x', binary: false });
  });

  it('is JSON where there is more than one value', async () => {
    expect((await read('rows')).text).toBe('[{"i":0,"t":"x"},{"i":1,"t":"x"}]');
    expect(await read('blob')).toMatchObject({ text: '[{"b":"YWI="}]', binary: false });
  });

  it('is binary for a BLOB', async () => {
    expect(await read('pdf')).toMatchObject({ value: 'YWI=', binary: true });
  });

  it('is not found where there is no row', async () => {
    expect((await errorOf(read('nobody'))).code).toBe('not_found');
  });

  it('is not found where the document is NULL', async () => {
    expect(await errorOf(read('empty'))).toMatchObject({ code: 'not_found' });
  });
});
