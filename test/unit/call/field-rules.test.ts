import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import { ALICE, contextOf, type EngineName, errorOf, type Served, serveTree } from './project.ts';

const tool = (name: string, sql: string, rules: readonly string[], rest = '') => `tool:
  name: ${name}
  policies:
    output:
${rules.map((rule) => `      - { condition: "user.role == 'analyst'", action: ${rule} }`).join('\n')}
  source: { code: "${sql}" }
${rest}`;
const SENSITIVE = `  return:
    type: array
    items: { type: object, properties: { salry: { type: integer, sensitive: true } } }
`;
const JOIN = 'SELECT s.id, s.salary, p.salary FROM staff s JOIN past p USING (id)';
/** DuckDB calls the second id `id_1`, and the column of that name `id_1_1`. */
const TAKEN = 'SELECT s.id, p.id, s.salary AS id_1, s.salary FROM staff s JOIN past p USING (id)';
const TAKEN_RETURN = `  return:
    type: array
    items: { type: object, properties: { id_1: { type: integer, sensitive: true } } }
`;
const PERSONS = `  return:
    type: array
    items:
      type: object
      properties:
        person: { type: object, properties: { ssn: { type: string, sensitive: true } } }
`;
const NET = 'SELECT a.\\"pay.net\\", b.\\"pay.net\\" FROM pays a, pays b';
const ADDRESS = 'SELECT {street: 1, zip: 2} AS address, MAP {1: 2} AS m';

const TREE = {
  'tools/misspelled.yml': tool('misspelled', 'FROM staff', ['filter_fields, fields: [salry]']),
  'tools/star.yml': tool('star', 'FROM staff', ["mask_fields, fields: ['*']"]),
  'tools/prefixed.yml': tool('prefixed', 'FROM staff', ['filter_fields, fields: [response.salary]']),
  'tools/empty.yml': tool('empty', 'FROM staff WHERE false', ['filter_fields, fields: [salry]']),
  'tools/second.yml': tool('second', 'FROM staff', [
    'filter_fields, fields: [salary]',
    'mask_fields, fields: [id, nme]',
  ]),
  'tools/nested.yml': tool('nested', ADDRESS, ['filter_fields, fields: [address.stret]']),
  'tools/sensitive.yml': tool('sensitive', 'FROM staff', ['filter_sensitive_fields'], SENSITIVE),
  'tools/twice.yml': tool('twice', JOIN, ['filter_fields, fields: [salary]']),
  'tools/masked.yml': tool('masked', JOIN, ['mask_fields, fields: [Salary]']),
  'tools/dotted.yml': tool('dotted', NET, ['filter_fields, fields: [pay.net]']),
  'tools/person.yml': tool(
    'person',
    "SELECT {ssn: 'secret'} AS persons",
    ['filter_sensitive_fields'],
    PERSONS,
  ),
  'tools/known.yml': tool(
    'known',
    "SELECT {ssn: 'secret', n: 1} AS person",
    ['filter_sensitive_fields'],
    PERSONS,
  ),
  'tools/right.yml': tool('right', 'FROM staff', ['filter_fields, fields: [SALARY]']),
  'tools/numbered.yml': tool('numbered', 'SELECT 1 AS phone, 2 AS phone_1, 3 AS phone_2', [
    'filter_fields, fields: [phone]',
  ]),
  'tools/taken.yml': tool('taken', TAKEN, ['filter_fields, fields: [Id_1]']),
  'tools/covered.yml': tool('covered', TAKEN, ['mask_fields, fields: [id_1]']),
  'tools/sensitive-taken.yml': tool('sensitive_taken', TAKEN, ['filter_sensitive_fields'], TAKEN_RETURN),
  'tools/letters.yml': tool('letters', 'SELECT 1 AS a, 2 AS A, 3 AS a_1', ['filter_fields, fields: [a_1]']),
  'tools/beside.yml': tool('beside', TAKEN, ['filter_fields, fields: [salary]']),
  'tools/inner.yml': tool('inner', ADDRESS, ['filter_fields, fields: [address.street, m.1]']),
};
/** Endpoints whose result is one value without its column. */
const ALONE = {
  'tools/photo.yml': `tool:
  name: photo
  mime_type: image/png
  policies: { output: [{ condition: "user.role == 'analyst'", action: mask_fields, fields: [photo] }] }
  source: { code: "SELECT 'secret'::BLOB AS photo" }`,
  'resources/note.yml': `resource:
  uri: staff://note
  mime_type: text/plain
  policies: { output: [{ condition: "user.role == 'analyst'", action: filter_fields, fields: [Note] }] }
  source: { code: "SELECT 'secret' AS note" }`,
  'resources/notes.yml': `resource:
  uri: staff://notes
  mime_type: text/plain
  policies: { output: [{ condition: "user.role == 'analyst'", action: mask_fields, fields: [note] }] }
  source: { code: "SELECT 'secret' AS note, 1 AS id" }`,
};
/** Writes, which return what no query around them names anew. */
const WRITES = {
  'tools/raised.yml': tool('raised', 'UPDATE staff SET salary = 4713 RETURNING id, salary, *', [
    'filter_fields, fields: [salary]',
  ]),
  'tools/hired.yml': tool('hired', 'INSERT INTO staff VALUES (2, 1) RETURNING salary AS Salary, *', [
    'mask_fields, fields: [salary]',
  ]),
  'tools/fired.yml': tool('fired', 'DELETE FROM staff RETURNING id, *', ['filter_fields, fields: [salary]']),
};
const SEED = `CREATE TABLE staff AS SELECT 1 AS id, 4711 AS salary; CREATE TABLE past AS SELECT 1 AS id, 4712 AS salary;
  CREATE TABLE pays AS SELECT 4711 AS "pay.net"`;

function callTool({ runtime }: Served, name: string, role = 'analyst') {
  const entry = runtime.catalog.tools[name];
  if (entry === undefined) throw new Error(name);
  return callEndpoint({ runtime, entry, args: {}, context: contextOf({ ...ALICE, role }) });
}

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])('a rule about fields on %s', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveTree({ ...TREE, ...ALONE }, SEED, engine);
  });
  afterAll(() => served.close());

  const call = (name: string, role?: string) => callTool(served, name, role);

  it.each([
    ['misspelled', 'output[0]: the statement returns no column salry, so the rule hides nothing'],
    ['star', 'output[0]: the statement returns no column *, so the rule hides nothing'],
    ['prefixed', 'no column response.salary'],
    ['empty', 'no column salry'],
    ['second', 'output[1]: the statement returns no column nme'],
    ['nested', 'no column address.stret'],
    ['sensitive', 'no column salry'],
    ['twice', 'output[0]: the statement returns two columns salary, and the rule hides one'],
    ['masked', 'two columns Salary'],
    ['dotted', 'two columns pay.net'],
    ['taken', 'two columns Id_1'],
    ['covered', 'two columns id_1'],
    ['sensitive_taken', 'two columns id_1'],
    ['letters', 'two columns a_1'],
    ['person', 'no column person.ssn'],
  ])('denies the call of %s, where it leaves something visible', async (name, logged) => {
    const error = await errorOf(call(name));
    expect(error).toMatchObject({
      code: 'denied',
      message: 'Access denied: a policy could not be evaluated.',
    });
    expect(served.lines.at(-1)?.message).toContain(logged);
    expect((await call(name, 'boss')).value).toEqual(expect.any(Array));
  });

  const read = (key: string, role = 'analyst') => {
    const { tools, resources } = served.runtime.catalog;
    const entry = tools[key] ?? resources[key];
    if (entry === undefined) throw new Error(key);
    const context = contextOf({ ...ALICE, role });
    return callEndpoint({ runtime: served.runtime, entry, args: {}, context });
  };

  it.each(['photo', 'staff://note'])(
    'denies the value of %s, which has no name to hide it by',
    async (key) => {
      const error = await errorOf(read(key));
      expect(error).toMatchObject({ code: 'denied' });
      expect(served.lines.at(-1)?.message).toMatch(/the result is the value of \w+ alone/);
      expect((await read(key, 'boss')).value).toMatch(/secret|c2VjcmV0/);
    },
  );

  it('hides a column of a text of several', async () => {
    expect((await read('staff://notes')).value).toEqual([{ note: '****', id: 1 }]);
  });

  it.each([
    ['right', [{ id: 1 }]],
    ['numbered', [{ phone_1: 2, phone_2: 3 }]],
    ['beside', [{ id: 1, id_1: 1, id_1_1: 4711 }]],
    ['known', [{ person: { n: 1 } }]],
  ])('hides the column of %s', async (name, value) => {
    expect((await call(name)).value).toEqual(value);
  });

  it('hides a field of a STRUCT, and of a MAP whose keys are data', async () => {
    expect((await call('inner')).value).toMatchObject([{ address: { zip: 2 } }]);
  });
});

describe.each<EngineName>(['native, read-write', 'native, own process'])(
  'a rule about fields of a write on %s',
  (engine) => {
    let served: Served;
    beforeAll(async () => {
      served = await serveTree(WRITES, SEED, engine);
    });
    afterAll(() => served.close());

    const call = (name: string, role?: string) => callTool(served, name, role);

    it.each(['raised', 'hired'])('denies the call of %s, which returns the column twice', async (name) => {
      expect(await errorOf(call(name))).toMatchObject({ code: 'denied' });
      expect(served.lines.at(-1)?.message).toContain('the statement returns two columns salary');
      expect((await call(name, 'boss')).value).toEqual(expect.any(Array));
    });

    it('hides a column that is there once, beside another one twice', async () => {
      const { value } = await call('fired');
      expect(value).toContainEqual({ id: 1, id_1: 1 });
    });
  },
);
