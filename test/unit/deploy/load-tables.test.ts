import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { compileEngine } from '../../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../../adapters/duckdb-wasm/in-process.ts';
import { buildTarget } from '../../../deploy/build.ts';
import { type LoadOptions, loadTables, parseLoadSource } from '../../../deploy/load-tables.ts';
import { parseManifest } from '../../../src/catalog/manifest.ts';
import { isObject, type JsonValue } from '../../../src/json.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-load-'));
});
afterEach(() => rm(root, { recursive: true }));

const file = (path: string): string => join(root, path);

/** What `svc build` makes of `--load` options. */
const named = (...texts: string[]): LoadOptions => ({
  sources: texts.map((text) => parseLoadSource(text, root)),
  replace: false,
});

/** Answers of the wasm engine, which is the one that serves what was loaded. */
async function ask(database: string, sql: string): Promise<readonly JsonValue[]> {
  const engine = await openWasm({ ...(await compileEngine()), file: pathFile(database) });
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: 20_000 };
  const { rows } = await engine.run({ sql, values: [], mode: 'read', maxRows: 100 }, call);
  await engine.close();
  return rows;
}

const digestOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

async function writeParquet(path: string, query: string): Promise<void> {
  await runScript(file('scratch.duckdb'), `COPY (${query}) TO '${path}' (FORMAT parquet)`);
}

describe('loading files', () => {
  // Requirements: load.uneven
  it.each([
    ['a line too short', 'csv', 'a,b,c\n1,2,3\n4,5\n', /one value of the column `a,b,c`/],
    ['a line too short, tabs', 'tsv', 'a\tb\n1\t2\n3\n', /column|values/],
    [
      'lines of three lengths',
      'csv',
      'a,b,c\n1,2,3\n4,5\n6,7,8,9\n',
      /lines 1 to 3 have another number of values/,
    ],
    ['a header too short', 'csv', 'a\n1,2\n3,4\n', /line 1 has another number of values/],
    ['semicolons', 'csv', 'a;b\n1;2\n3\n', /one value of the column `a;b`/],
  ])('refuses %s, of which rows or columns would be lost', async (_, extension, text, message) => {
    await writeFile(file(`uneven.${extension}`), text);
    const work = loadTables(file('data.duckdb'), named(`uneven.${extension}`));
    await expect(work).rejects.toMatchObject({ code: 'project_invalid', message });
    await expect(work).rejects.toThrow(/uneven\.[ct]sv: .*Give each line as many values as the header/s);
  });

  it("refuses Excel's line for the delimiter, which would be the header", async () => {
    await writeFile(file('excel.csv'), 'sep=;\nid;name\n1;a\n');
    const work = loadTables(file('data.duckdb'), named('excel.csv'));
    await expect(work).rejects.toThrow(/excel\.csv: line 1 is `sep=`, and no header\. Delete it\./);
  });

  it('names every missing file, and every file that cannot be read', async () => {
    await writeFile(file('uneven.csv'), 'a,b,c\n1,2,3\n4,5\n');
    await writeFile(file('good.csv'), 'a\n1\n');
    await mkdir(file('exports'));
    await writeFile(file('exports/good.csv'), 'a\n1\n');
    const sources = named('none.csv', 'uneven.csv', 'good.csv', 'other=none-*.csv', 'exports');
    const work = loadTables(file('data.duckdb'), sources);
    await expect(work).rejects.toMatchObject({ code: 'project_invalid' });
    for (const problem of [
      /There is no file .*none\.csv\./,
      /uneven\.csv: .*Give each line/s,
      /There is no file .*none-\*\.csv\./,
      /exports is a folder\./,
    ])
      await expect(work).rejects.toThrow(problem);
    await expect(work).rejects.not.toThrow(/good\.csv/);
    await expect(
      loadTables(file('data.duckdb'), named('none.csv', 'good.csv', 'exports/good.csv')),
    ).rejects.toThrow(/There is no file .*none\.csv\.\nSeveral files would become the table good/);
  });

  it.each([
    ['a title before the header', 'Sales\n\na,b\n1,2\n', [{ a: 1, b: 2 }]],
    ['blank lines', 'a,b\n\n1,2\n\n', [{ a: 1, b: 2 }]],
    ['texts with the delimiter', 'name\n"x,y"\n', [{ name: 'x,y' }]],
    ['a name with the delimiter', '"a,b"\n1\n', [{ 'a,b': 1 }]],
    ['a line break in a text', 'a,b\n1,"x\ny"\n', [{ a: 1, b: 'x\ny' }]],
  ])('reads %s', async (_, text, rows) => {
    await writeFile(file('even.csv'), text);
    await loadTables(file('data.duckdb'), named('even.csv'));
    expect(await ask(file('data.duckdb'), 'FROM even')).toEqual(rows);
  });

  it('reads every format into a table named after the file', async () => {
    await writeFile(file('people.csv'), 'id,name,born\n1,Zoë,2000-02-29\n2,"a, b",\n');
    await writeFile(file('prices.tsv'), 'item\tprice\nx\t1.25\n');
    await writeFile(
      file('orders.json'),
      '[{"id": 1, "lines": [{"sku": "a", "n": 2}]}, {"id": 2, "lines": []}]',
    );
    await writeFile(
      file('events.ndjson'),
      '{"at": "2024-01-01T10:00:00", "ok": true}\n{"at": null, "ok": false}\n',
    );
    await writeFile(file('log-2024.jsonl.gz'), gzipSync('{"n": 1}\n{"n": 2}\n'));
    await writeParquet(
      file('sales.parquet'),
      'SELECT i::BIGINT AS id, i * 0.5 AS amount FROM range(1000) t(i)',
    );
    const database = file('data.duckdb');
    const loaded = await loadTables(
      database,
      named('people.csv', 'prices.tsv', 'orders.json', 'events.ndjson', 'log-2024.jsonl.gz', 'sales.parquet'),
    );
    expect(loaded.map(({ table, rows }) => [table, rows])).toEqual([
      ['people', 2],
      ['prices', 1],
      ['orders', 2],
      ['events', 2],
      ['log_2024', 2],
      ['sales', 1000],
    ]);
    expect(await ask(database, 'FROM people ORDER BY id')).toEqual([
      { id: 1, name: 'Zoë', born: '2000-02-29' },
      { id: 2, name: 'a, b', born: null },
    ]);
    expect(await ask(database, 'SELECT price FROM prices')).toEqual([{ price: 1.25 }]);
    expect(await ask(database, 'FROM orders WHERE id = 1')).toEqual([{ id: 1, lines: [{ sku: 'a', n: 2 }] }]);
    expect(await ask(database, 'SELECT "at" FROM events WHERE ok')).toEqual([{ at: '2024-01-01T10:00:00' }]);
    expect(await ask(database, 'SELECT sum(n) AS n FROM log_2024')).toEqual([{ n: 3 }]);
    expect(await ask(database, 'SELECT sum(amount) AS total FROM sales')).toEqual([{ total: 249750 }]);
  });

  describe('keeps each value, though DuckDB guesses types from the first rows and files', () => {
    const LATE = 21_000;
    const late = (header: string, before: string, last: string) =>
      `${header}\n${`${before}\n`.repeat(LATE)}${last}\n`;

    it.each([
      ['a decimal', 'late.csv', late('v', '10', '19.99'), 19.99],
      ['a time', 'late.csv', late('v', '2024-01-01', '2024-01-02 10:30:00'), '2024-01-02T10:30:00'],
      ['leading zeros', 'late.csv', late('v', '10999', '01067'), '01067'],
      ['a text', 'late.tsv', late('n\tv', '1\t10', '2\tA12'), 'A12'],
      ['a decimal in JSON', 'late.ndjson', late('{"v":1}', '{"v":1}', '{"v":1.75}'), 1.75],
      ['a new key in JSON', 'late.jsonl', late('{"n":1}', '{"n":1}', '{"n":1,"v":"x"}'), 'x'],
    ])('%s', async (_, name, text, value) => {
      await writeFile(file(name), text);
      await loadTables(file('data.duckdb'), named(name));
      const sql = 'SELECT v FROM late ORDER BY rowid DESC LIMIT 1';
      expect(await ask(file('data.duckdb'), sql)).toEqual([{ v: value }]);
    });

    it.each([
      ['csv', ['id,v\n1,a\n', 'id,w\n2,b\n', 'w,id,v\nc,3,d\n']],
      ['ndjson', ['{"id":1,"v":"a"}\n', '{"id":2,"w":"b"}\n', '{"w":"c","id":3,"v":"d"}\n']],
      [
        'parquet',
        ["SELECT 1 AS id, 'a' AS v", "SELECT 2 AS id, 'b' AS w", "SELECT 'c' AS w, 3 AS id, 'd' AS v"],
      ],
    ])('the columns of several %s files', async (extension, texts) => {
      for (const [index, text] of texts.entries()) {
        const path = file(`part-${index}.${extension}`);
        await (extension === 'parquet' ? writeParquet(path, text) : writeFile(path, text));
      }
      await loadTables(file('data.duckdb'), named(`whole=part-*.${extension}`));
      expect(await ask(file('data.duckdb'), 'SELECT id, v, w FROM whole ORDER BY id')).toEqual([
        { id: 1, v: 'a', w: null },
        { id: 2, v: null, w: 'b' },
        { id: 3, v: 'd', w: 'c' },
      ]);
    });

    it('a key that only the last of forty JSON files has', async () => {
      for (let index = 0; index < 40; index += 1) {
        const text = index === 39 ? '[{"id":39,"v":"x"}]' : `[{"id":${index}}]`;
        await writeFile(file(`part-${index + 10}.json`), text);
      }
      await loadTables(file('data.duckdb'), named('whole=part-*.json'));
      const sql = 'SELECT id, v FROM whole WHERE v IS NOT NULL';
      expect(await ask(file('data.duckdb'), sql)).toEqual([{ id: 39, v: 'x' }]);
    });

    it.each([
      ['long numbers', '12345678901234567890', '12345678901234567891', 'HUGEINT'],
      ['long amounts', '-12345678901234567.89', '12345678901234567.90', 'DECIMAL(19,2)'],
      ['numbers of more digits than any type has', '1'.repeat(40), `${'1'.repeat(39)}2`, 'VARCHAR'],
      ['long numbers beside an exponent', '12345678901234567890', '1e3', 'VARCHAR'],
      ['long numbers that a DOUBLE keeps', '10000000000000000', '1.5', 'DOUBLE'],
      ['measurements', '0.1234567890123456789', '-2.5e-7', 'DOUBLE'],
    ])('%s', async (_, one, other, type) => {
      await writeFile(file('numbers.csv'), `v,"it's ""n"""\n${one},1.5\n${other},\n,2\n`);
      await loadTables(file('data.duckdb'), named('numbers.csv'));
      const sql = `SELECT count(DISTINCT v) AS n, any_value(typeof(v)) AS type, min(typeof("it's ""n""")) AS beside,
        sum((v::VARCHAR IN ('${one}', '${other}'))::INTEGER)::INTEGER AS same FROM numbers`;
      const same = type === 'DOUBLE' ? expect.anything() : 2;
      expect(await ask(file('data.duckdb'), sql)).toEqual([{ n: 2, type, beside: 'DOUBLE', same }]);
    });

    it.each([
      ['times and numbers', ['2024-01-01 10:00:00+02', '1707000000']],
      ['local times and times with a zone', ['2024-01-01 10:00:00', '2024-02-01 10:00:00+02']],
      ['numbers and dates', ['10', '2024-01-01']],
      ['numbers and texts with zeros', ['1067', '01067']],
    ])('%s of several files as texts', async (_, values) => {
      for (const [index, value] of values.entries())
        await writeFile(file(`part-${index}.csv`), `id,v\n${index},${value}\n`);
      await writeFile(file('part-9.csv'), 'id,v\n9,\n');
      await loadTables(file('data.duckdb'), named('whole=part-*.csv'));
      const sql = 'SELECT v FROM whole WHERE v IS NOT NULL ORDER BY id';
      expect(await ask(file('data.duckdb'), sql)).toEqual(values.map((v) => ({ v })));
    });

    it.each([
      ['BIGINT', ['1', '']],
      ['DOUBLE', ['', '1.5', '2']],
      ['TIMESTAMP', ['2024-01-01', '', '2024-01-02 10:30:00']],
    ])('a column of %s that has no value in one file', async (type, values) => {
      for (const [index, value] of values.entries())
        await writeFile(file(`part-${index}.csv`), `id,v\n${index},${value}\n`);
      await loadTables(file('data.duckdb'), named('whole=part-*.csv'));
      const sql = 'SELECT any_value(typeof(v)) AS type, count(v) AS values FROM whole';
      expect(await ask(file('data.duckdb'), sql)).toEqual([
        { type, values: values.filter((value) => value !== '').length },
      ]);
    });

    it.each([
      ['is no header line', ['id,amount\n1,10\n2,5\n', '3,11\n4,7\n']],
      ['has no column of', ['name\nAda\n', 'Bo\nCy\n']],
    ])('refuses files if one %s', async (message, texts) => {
      for (const [index, text] of texts.entries()) await writeFile(file(`part-${index}.csv`), text);
      const work = loadTables(file('data.duckdb'), named('whole=part-*.csv'));
      await expect(work).rejects.toThrow(new RegExp(`part-1\\.csv ${message}`));
    });

    it('names a late line with another number of values', async () => {
      await writeFile(file('ragged.csv'), late('a,b', '1,2', '3,4,5\n6,7'));
      const work = loadTables(file('data.duckdb'), named('ragged.csv'));
      await expect(work).rejects.toThrow(/ragged\.csv: .*Line: 21002/s);
    });

    it('names a late line whose quotes have no end, and does not take the quotes for a part of all values', async () => {
      await writeFile(file('quotes.csv'), late('id,name', '1,"n1"', '2,"a "q" b"\n3,"c"'));
      const work = loadTables(file('data.duckdb'), named('quotes.csv'));
      await expect(work).rejects.toThrow(/quotes\.csv: .*quote/s);
    });

    it('long numbers of several files, and of one without a header', async () => {
      await writeFile(file('long-0.csv'), '');
      await writeFile(file('long-1.csv'), 'ID\n12345678901234567889\n');
      await writeFile(file('long-2.csv'), 'name,id\na,12345678901234567890\nb,12345678901234567891\n');
      await writeFile(file('bare.csv'), '12345678901234567890,1\n12345678901234567891,2\n');
      await loadTables(file('data.duckdb'), named('long=long-*.csv', 'bare.csv'));
      const sql = `SELECT count(DISTINCT id) AS n, max(id)::VARCHAR AS most,
        (SELECT count(DISTINCT column0) FROM bare) AS bare FROM long`;
      expect(await ask(file('data.duckdb'), sql)).toEqual([{ n: 3, most: '12345678901234567891', bare: 2 }]);
    });
  });

  it('takes patterns: a table for each file, or one for all where it is named', async () => {
    await mkdir(file('exports'));
    for (const month of ['01', '02']) await writeFile(file(`exports/m-${month}.csv`), `month\n${month}\n`);
    const [each, all] = [file('each.duckdb'), file('all.duckdb')];
    const tables = await loadTables(each, named('exports/m-*.csv'));
    expect(tables.map(({ table }) => table)).toEqual(['m_01', 'm_02']);
    expect(await loadTables(all, named('months=exports/*.csv'))).toMatchObject([
      { table: 'months', rows: 2 },
    ]);
    expect(await ask(all, 'FROM months ORDER BY month')).toEqual([{ month: '01' }, { month: '02' }]);
  });

  it.each([
    [['data1.csv', 'data[1].csv'], 'csv/*.csv'],
    [['a.csv', 'ab.csv', 'a?.csv', 'a*.csv'], 'csv/*.csv'],
  ])('reads each of the files %j that a pattern finds, and no other', async (names, pattern) => {
    await mkdir(file('csv'));
    for (const name of names) await writeFile(file(`csv/${name}`), `name\n${name}\n`);
    const { sources } = named(`t=${pattern}`);
    await loadTables(file('data.duckdb'), { sources, replace: false });
    const rows = await ask(file('data.duckdb'), 'FROM t ORDER BY name');
    expect(rows).toEqual(names.toSorted().map((name) => ({ name })));
  });

  it('takes the name of a file or folder that exists literally, before it is a pattern', async () => {
    for (const folder of ['y1', 'y[1]']) {
      await mkdir(file(folder));
      for (const name of ['m1', 'm[1]']) {
        await writeFile(file(`${folder}/${name}.csv`), `place\n${folder}/${name}\n`);
      }
    }
    await loadTables(file('data.duckdb'), named('one=y[1]/m[1].csv', 'all=y[1]/*.csv', 'some=y?/m[1].csv'));
    const placesOf = async (table: string) =>
      (await ask(file('data.duckdb'), `SELECT place FROM "${table}" ORDER BY place`)).map(
        (row) => isObject(row) && row.place,
      );
    expect(await placesOf('one')).toEqual(['y[1]/m[1]']);
    expect(await placesOf('all')).toEqual(['y[1]/m1', 'y[1]/m[1]']);
    expect(await placesOf('some')).toEqual(['y1/m1']);
    await expect(loadTables(file('folder.duckdb'), named('y[1]'))).rejects.toThrow(/y\[1\] is a folder\./);
  });

  it('keeps what the database has, and replaces a table only when told to', async () => {
    const database = file('data.duckdb');
    await runScript(database, "CREATE TABLE sales AS SELECT 'old' AS x; CREATE TABLE kept AS SELECT 1 AS x");
    await writeFile(file('sales.csv'), 'x\nnew\n');
    await expect(loadTables(database, named('sales.csv'))).rejects.toThrow(
      /sales\.csv: the database already has a table sales\..*--replace/,
    );
    await loadTables(database, { ...named('sales.csv'), replace: true });
    expect(await ask(database, 'SELECT x FROM sales')).toEqual([{ x: 'new' }]);
    expect(await ask(database, 'SELECT x FROM kept')).toEqual([{ x: 1 }]);
  });

  it('names every file that cannot be read, and why', async () => {
    await writeFile(file('broken.json'), '{"a": ');
    await writeFile(file('noise.parquet'), 'this is no parquet file');
    await writeFile(file('notes.txt'), 'words');
    const failure = loadTables(file('data.duckdb'), named('broken.json', 'noise.parquet', 'notes.txt'));
    await expect(failure).rejects.toMatchObject({ code: 'project_invalid' });
    await expect(failure).rejects.toThrow(/broken\.json: .*[Mm]alformed JSON/);
    await expect(failure).rejects.toThrow(/noise\.parquet: .*parquet/i);
    await expect(failure).rejects.toThrow(
      /notes\.txt: The file extension names no known format\. Known formats: csv, tsv, json/,
    );
  });

  it('says what is wrong with a text that is empty or not UTF-8', async () => {
    await writeFile(file('empty.csv'), '');
    await writeFile(file('latin.csv'), Buffer.from('id,name\n1,M\u00fcller\n', 'latin1'));
    const failure = loadTables(file('data.duckdb'), named('empty.csv', 'latin.csv'));
    await expect(failure).rejects.toThrow(/empty\.csv: the file is empty, so it has no columns\./);
    await expect(failure).rejects.toThrow(/latin\.csv: the text is not UTF-8\. Save it as UTF-8\.$/);
  });

  it('takes an empty file among several of one table', async () => {
    await writeFile(file('day-1.csv'), 'n\n7\n');
    await writeFile(file('day-2.csv'), '');
    await loadTables(file('data.duckdb'), named('days=day-*.csv'));
    expect(await ask(file('data.duckdb'), 'SELECT n FROM days')).toEqual([{ n: 7 }]);
  });

  it('says when there is no such file, and when two would become one table', async () => {
    await mkdir(file('a'));
    for (const path of ['x.csv', 'a/X.csv']) await writeFile(file(path), 'n\n1\n');
    await expect(loadTables(file('data.duckdb'), named('gone/*.csv'))).rejects.toThrow(
      /no file .*gone\/\*\.csv/,
    );
    await expect(loadTables(file('data.duckdb'), named('x.csv', 'a/X.csv'))).rejects.toThrow(
      /Several files would become the table.*--load name=path/,
    );
  });

  it('quotes what names hold', async () => {
    await writeFile(file("it's.csv"), 'n\n7\n');
    const database = file('data.duckdb');
    await loadTables(database, named(`od"d=it's.csv`));
    expect(await ask(database, 'SELECT n FROM "od""d"')).toEqual([{ n: 7 }]);
  });

  it('refuses a name without a file', () => {
    expect(() => parseLoadSource('name=', root)).toThrow(/--load name= names no file/);
    expect(parseLoadSource('a/b=c.csv', root)).toEqual({ table: null, pattern: file('a/b=c.csv') });
  });
});

const SITE = `svc: 1
project: shop
profile: default
profiles:
  default:
    database:
      path: shop.duckdb
`;
const TOOL = `svc: 1
tool:
  name: total
  description: A tool.
  source:
    code: SELECT sum(n) AS total FROM sales
`;

describe('svc build --load', () => {
  beforeEach(async () => {
    await mkdir(file('tools'));
    await writeFile(file('svc-site.yml'), SITE);
    await writeFile(file('tools/total.yml'), TOOL);
    await writeFile(
      file('sales.csv'),
      `n,text\n${Array.from({ length: 20_000 }, (_, n) => `${n},t${n % 97}`).join('\n')}\n`,
    );
  });

  const build = () => buildTarget({ root, target: 'node', load: named('sales.csv') });

  it('makes a database where the project has none', async () => {
    const { out, loaded, hash } = await build();
    expect(loaded).toMatchObject([{ table: 'sales', rows: 20_000, files: [file('sales.csv')] }]);
    const { database, ...manifest } = parseManifest(await readFile(join(out, 'manifest.json'), 'utf8'));
    expect(manifest.hash).toBe(hash);
    expect(database).toEqual({
      name: 'shop.duckdb',
      bytes: (await stat(join(out, 'data.duckdb'))).size,
      sha256: await digestOf(join(out, 'data.duckdb')),
      changedBy: ['--load'],
    });
    expect(await ask(join(out, 'data.duckdb'), 'SELECT sum(n) AS total FROM sales')).toEqual([
      { total: 199_990_000 },
    ]);
    expect(existsSync(join(out, 'data.duckdb.wal'))).toBe(false);
    expect(existsSync(file('shop.duckdb'))).toBe(false);
  });

  it("adds to a copy of the project's database, which stays as it is", async () => {
    await runScript(file('shop.duckdb'), 'CREATE TABLE more AS SELECT 1 AS x');
    const before = await digestOf(file('shop.duckdb'));
    const { out } = await build();
    const sql = 'SELECT (SELECT x FROM more) + count(*) AS n FROM sales';
    expect(await ask(join(out, 'data.duckdb'), sql)).toEqual([{ n: 20_001 }]);
    expect(await digestOf(file('shop.duckdb'))).toBe(before);
  });

  it('leaves nothing behind when a file cannot be read', async () => {
    await writeFile(file('sales.csv'), '{"not": csv');
    await writeFile(file('sales.json'), '{"a": ');
    const failed = buildTarget({ root, target: 'node', load: named('sales.json') });
    await expect(failed).rejects.toThrow(/sales\.json/);
    await expect(readFile(file('build/node/manifest.json'))).rejects.toThrow(/ENOENT/);
  });
});
