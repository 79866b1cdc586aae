import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rotatedName } from '../../../adapters/audit/audit-files.ts';
import { nativeSource } from '../../../adapters/audit/duckdb-source.ts';
import { exportCsv, exportDuckdb } from '../../../adapters/audit/export.ts';
import { createAuditQuery, type Reader } from '../../../adapters/audit/query.ts';
import { streamedSource } from '../../../adapters/audit/streamed-source.ts';
import { openScratch } from '../../../adapters/duckdb-native/files/scratch.ts';
import type { AuditFilter } from '../../../src/audit/filter.ts';
import { parseAuditQuery } from '../../../src/audit/query.ts';
import { toStats } from '../../../src/audit/stats.ts';
import { toDuration, toMoment } from '../../../src/audit/time-range.ts';
import { SvcError } from '../../../src/errors.ts';

const QUERY = new URL('../../../adapters/audit/query.ts', import.meta.url).href;
const EXPORT = new URL('../../../adapters/audit/export.ts', import.meta.url).href;
const START = Date.parse('2026-08-01T00:00:00Z');
const NASTY = `it's "quoted" ; DROP TABLE logs -- \\ é 😀`;

function recordOf(index: number): Record<string, unknown> {
  const denied = index % 7 === 0;
  return {
    record_id: `r-${String(index).padStart(5, '0')}`,
    timestamp: new Date(START + index * 600_000).toISOString(),
    schema_name: 'svc.endpoints',
    schema_version: 1,
    operation_type: ['tool', 'resource', 'prompt'][index % 3],
    operation_name: index % 11 === 0 ? NASTY : `op_${index % 5}`,
    operation_status: denied || index % 4 === 0 ? 'error' : 'success',
    duration_ms: index,
    caller_type: 'http',
    user_id: index % 2 ? `u-${index % 4}` : null,
    session_id: null,
    trace_id: index % 10 === 0 ? 'a'.repeat(32) : null,
    policy_decision: denied ? 'deny' : index % 2 ? 'allow' : 'n/a',
    policy_reason: denied ? 'no' : null,
    error_message: null,
    error_code: null,
    request_id: `q-${index}`,
    policies_evaluated: 0,
    policies_applied: [],
    result_count: 1,
    input_data: { text: '=1+1', n: index },
    output_data: [1, [1, 2], { a: 'x' }, 'text', null][index % 5],
  };
}

/** A log of three files, shuffled a little, with lines in it that are none of ours. */
function logOf(many: number): string {
  // What a path may hold that DuckDB takes for a pattern.
  const root = mkdtempSync(join(tmpdir(), "svc-audit-[x]*'-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, 'log.jsonl');
  const lines = Array.from({ length: many }, (_, index) => JSON.stringify(recordOf(index)));
  const third = Math.ceil(many / 3);
  const files = [
    [rotatedName(path, START + third * 600_000), lines.slice(0, third).reverse()],
    [rotatedName(path, START + 2 * third * 600_000), lines.slice(third, 2 * third)],
    [path, lines.slice(2 * third)],
  ] as const;
  for (const [file, own] of files) writeFileSync(file, `${own.join('\n')}\n`);
  writeFileSync(
    path,
    Buffer.concat([
      readFileSync(path),
      Buffer.from(
        '\n   \nno json\n[1,2]\n"text"\n{"torn": \n{"timestamp":"soon"}\n{"bad":"\\ud800"}\n42\nnull\n',
      ),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from(
        '{"timestamp":"2026-08-01T00:00:00.000Z","operation_type":"spell","operation_status":"success"}\n',
      ),
      Buffer.from('{"record_id":"torn at the end'),
    ]),
  );
  return path;
}

const FOREIGN = 11;
const READERS: readonly Reader[] = ['native', 'streamed'];

const FILTERS: readonly AuditFilter[] = [
  {},
  { operation_type: 'tool' },
  { operation_name: NASTY },
  { operation_name: "x' OR '1'='1" },
  { operation_type: 'prompt', operation_status: 'error' },
  { policy_decision: 'n/a' },
  { policy_decision: 'deny', user_id: 'u-1' },
  { trace_id: 'a'.repeat(32) },
  { schema_name: 'other' },
  { schema_name: 'svc.endpoints', operation_status: 'success' },
  { request_id: 'q-17' },
  { start_time: '2026-08-01T10:00:00.000Z', end_time: '2026-08-01T12:00:00.000Z' },
  { start_time: '2026-08-03T00:00:00.000Z' },
  { end_time: '2026-08-01T00:00:00.000Z' },
];

describe('a query', () => {
  // Requirements: admin./audit/query, admin./audit/stats, audit-query.limit, audit-query.offset
  // Requirements: audit-query.operation_name, audit-query.operation_status, audit-query.operation_type
  // Requirements: audit-query.schema_name, audit-query.time, audit-query.trace_id, audit-query.user_id
  it.each(FILTERS)('D22: finds the same with DuckDB, without it, and by hand: %j', async (filter) => {
    const path = logOf(500);
    const wanted = Array.from({ length: 500 }, (_, index) => recordOf(index))
      .filter((record) =>
        Object.entries(filter).every(([key, value]) => {
          if (key === 'start_time') return String(record.timestamp) >= value;
          if (key === 'end_time') return String(record.timestamp) <= value;
          return record[key] === value;
        }),
      )
      .toReversed();
    for (const reader of READERS) {
      const query = createAuditQuery(path, reader);
      const page = await query.query(filter, { limit: 25, offset: 10 });
      expect(page).toEqual({ records: wanted.slice(10, 35), total: wanted.length, foreign: FOREIGN });
      const stats = await query.stats(filter);
      const many = (key: string, value: string) => wanted.filter((record) => record[key] === value).length;
      expect(stats).toEqual({
        total_records: wanted.length,
        by_type: {
          tool: many('operation_type', 'tool'),
          resource: many('operation_type', 'resource'),
          prompt: many('operation_type', 'prompt'),
        },
        by_status: { success: many('operation_status', 'success'), error: many('operation_status', 'error') },
        by_policy: {
          allow: many('policy_decision', 'allow'),
          deny: many('policy_decision', 'deny'),
          'n/a': many('policy_decision', 'n/a'),
        },
        earliest_timestamp: wanted.at(-1)?.timestamp ?? null,
        latest_timestamp: wanted[0]?.timestamp ?? null,
      });
    }
  });

  it.each(READERS)('counts the same groups: %s', async (reader) => {
    const path = logOf(300);
    const byHand = await createAuditQuery(path, 'streamed').groups({});
    const { groups, foreign } = await createAuditQuery(path, reader).groups({});
    const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).toSorted();
    expect(foreign).toBe(FOREIGN);
    expect(sorted(groups)).toEqual(sorted(byHand.groups));
  });

  it.each([
    ['native', nativeSource],
    ['streamed', async (files: readonly string[]) => streamedSource(files)],
  ])('keeps no names that clients may have invented for the sums of a server: %s', async (_, open) => {
    const source = await open([logOf(300)]);
    onTestFinished(() => source.close());
    const [kinds, names] = [await source.groups({}, 'kinds'), await source.groups({}, 'hours and names')];
    expect(kinds.groups.every(({ name, hour }) => name === null && hour === '')).toBe(true);
    expect(kinds.groups.length).toBeLessThan(names.groups.length);
    expect(kinds.groups.length).toBeLessThanOrEqual(18);
    expect(toStats(kinds.groups)).toEqual(toStats(names.groups));
    expect(kinds.foreign).toBe(FOREIGN);
  });

  it.each(READERS)('of a log that is not there finds nothing: %s', async (reader) => {
    const query = createAuditQuery(join(tmpdir(), 'svc-nothing-here/log.jsonl'), reader);
    expect(await query.query({}, { limit: 10, offset: 0 })).toEqual({ records: [], total: 0, foreign: 0 });
    expect(await query.stats({})).toEqual(toStats([]));
  });

  it.each(READERS)('finds a page after many others, also within one second: %s', async (reader) => {
    const path = logOf(30_000);
    const wanted = Array.from({ length: 30_000 }, (_, index) => recordOf(index)).toReversed();
    const query = createAuditQuery(path, reader);
    const page = (filter: AuditFilter, offset: number) => query.query(filter, { limit: 20, offset });
    const all = { total: 30_000, foreign: FOREIGN };
    expect(await page({}, 12_345)).toEqual({ records: wanted.slice(12_345, 12_365), ...all });
    expect(await page({}, 29_990)).toEqual({ records: wanted.slice(29_990), ...all });
    expect(await page({}, 30_000)).toEqual({ records: [], ...all });
    // A filter that begins and ends within hours.
    const [start_time, end_time] = [String(recordOf(1_000).timestamp), String(recordOf(28_000).timestamp)];
    expect(await page({ start_time, end_time }, 26_995)).toEqual({
      records: wanted.slice(28_994, 29_000),
      total: 27_001,
      foreign: FOREIGN,
    });
    const second = Array.from(
      { length: 12_000 },
      (_, index): Record<string, unknown> => ({
        ...recordOf(index),
        timestamp: `2026-08-01T00:00:00.${String(index % 1_000).padStart(3, '0')}Z`,
      }),
    );
    const dense = logOf(1);
    writeFileSync(dense, second.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const sorted = [recordOf(0), ...second].toSorted((one, other) =>
      `${one.timestamp} ${one.record_id}` < `${other.timestamp} ${other.record_id}` ? 1 : -1,
    );
    const { records } = await createAuditQuery(dense, reader).query({}, { limit: 5, offset: 11_000 });
    expect(records.map(({ record_id }) => record_id)).toEqual(
      sorted.slice(11_000, 11_005).map(({ record_id }) => record_id),
    );
  });

  it('of a page after many others keeps no records in memory', { timeout: 60_000 }, async () => {
    const path = logOf(1);
    const text = 'x'.repeat(1_500);
    const lines = Array.from({ length: 60_000 }, (_, index) =>
      JSON.stringify({ ...recordOf(index), policy_reason: text }),
    );
    writeFileSync(path, `${lines.join('\n')}\n`);
    const program = `
      const { createAuditQuery } = await import(${JSON.stringify(QUERY)});
      const page = await createAuditQuery(${JSON.stringify(path)}, 'streamed').query({}, { limit: 1, offset: 50000 });
      console.log(page.records[0].record_id, page.total);`;
    const flags = ['--max-old-space-size=48', '--input-type=module', '-e', program];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe('r-09999 60001\n');
  });

  it.each(READERS)('of records that go to a pipe says so, and takes none of them: %s', async (reader) => {
    const path = join(logOf(1), '../pipe.jsonl');
    execFileSync('mkfifo', [path]);
    const query = createAuditQuery(path, reader);
    for (const ask of [() => query.query({}, { limit: 1, offset: 0 }), () => query.stats({})]) {
      await expect(ask()).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('is not a file'),
      });
    }
  });

  it('of records without ids of their own, or with the same, is right all the same', async () => {
    const path = logOf(10);
    const line = JSON.stringify({ ...recordOf(3), record_id: 'same' });
    const { record_id: _, ...bare } = recordOf(4);
    writeFileSync(path, `${line}\n${line}\n${line}\n${JSON.stringify(bare)}\n`);
    const [native, streamed] = await Promise.all(
      READERS.map((reader) => createAuditQuery(path, reader).query({}, { limit: 5, offset: 0 })),
    );
    expect(native).toEqual(streamed);
    expect(native?.records).toHaveLength(5);
  });
});

describe('an export', () => {
  // Requirements: command.log
  it('D21: to DuckDB has typed columns in the table `logs`, whatever shapes results have', async () => {
    const path = logOf(100);
    const target = join(path, '../out.duckdb');
    expect(await exportDuckdb(path, {}, target)).toBe(100);
    expect(await exportDuckdb(path, { operation_status: 'error' }, target)).toBe(36);
    expect(await exportDuckdb(path, {}, target)).toBe(100);
    expect((statSync(target).mode & 0o777).toString(8)).toBe('600');
    const scratch = await openScratch();
    onTestFinished(() => scratch.close());
    await scratch.rows(`ATTACH '${target.replaceAll("'", "''")}' AS o (READ_ONLY)`);
    const [row] = await scratch.rows(
      `SELECT count(*)::INT, count(DISTINCT record_id)::INT, sum(duration_ms)::INT,
        min("timestamp") = TIMESTAMPTZ '2026-08-01 00:00:00+00', typeof(any_value("timestamp")),
        count(*) FILTER (operation_name = $1)::INT, max(input_data->>'text') FROM o.logs`,
      [NASTY],
    );
    expect(row).toEqual([100, 100, 4950, true, 'TIMESTAMP WITH TIME ZONE', 10, '=1+1']);
    const shapes = await scratch.rows('SELECT output_data FROM o.logs ORDER BY record_id LIMIT 5');
    expect(shapes.map(([value]) => value)).toEqual(['1', '[1,2]', '{"a":"x"}', '"text"', null]);
  });

  it('to DuckDB that fails keeps the older export, and makes no file', async () => {
    const path = logOf(10);
    const [older, fresh] = [join(path, '../older.duckdb'), join(path, '../fresh.duckdb')];
    expect(await exportDuckdb(path, {}, older)).toBe(10);
    // A line that is too long for DuckDB.
    writeFileSync(join(path, '..', rotatedName(basename(path), START)), `{"a":"${'x'.repeat(40_000_000)}"}`);
    for (const target of [older, fresh]) {
      await expect(exportDuckdb(path, {}, target)).rejects.toMatchObject({ code: 'file_unavailable' });
    }
    expect(existsSync(fresh)).toBe(false);
    const scratch = await openScratch();
    onTestFinished(() => scratch.close());
    await scratch.rows(`ATTACH '${older.replaceAll("'", "''")}' AS o (READ_ONLY)`);
    expect(await scratch.rows('SELECT count(*)::INT FROM o.logs')).toEqual([[10]]);
  });

  it('to CSV can be read by others, and starts no formula', async () => {
    const path = logOf(100);
    const target = join(path, '../out.csv');
    writeFileSync(
      path,
      `${JSON.stringify({ ...recordOf(1), error_message: '=HYPERLINK("x")', user_id: '-a,b\n"c"', trace_id: '＝1' })}\n`,
    );
    const many = await exportCsv(path, { operation_name: 'op_1' }, target);
    const read = `import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline='')))[-1]))`;
    const last = execFileSync('python3', ['-c', read, target], { encoding: 'utf8' });
    expect(many).toBeGreaterThan(5);
    expect(JSON.parse(last)).toMatchObject({
      error_message: `'=HYPERLINK("x")`,
      user_id: `'-a,b\n"c"`,
      trace_id: `'＝1`,
    });
    expect((statSync(target).mode & 0o777).toString(8)).toBe('600');
  });

  it('to CSV into a pipe writes into it, and behind a link replaces the file', async () => {
    const path = logOf(10);
    const [pipe, link, file] = [join(path, '../pipe'), join(path, '../link.csv'), join(path, '../file.csv')];
    execFileSync('mkfifo', [pipe]);
    const reader = execFile('cat', [pipe]);
    const read = new Promise<string>((done) =>
      reader.stdout?.toArray().then((parts) => done(parts.join(''))),
    );
    expect(await exportCsv(path, {}, pipe)).toBe(10);
    expect((await read).split('\r\n')).toHaveLength(12);
    expect(statSync(pipe).isFIFO()).toBe(true);
    writeFileSync(file, 'older');
    symlinkSync(file, link);
    expect(await exportCsv(path, {}, link)).toBe(10);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toMatch(/^record_id,/);
  });

  it.each(['/dev/stdout', '/dev/fd/1', '>(cat)'])('to CSV may go to %s', (target) => {
    const program = `
      const { exportCsv } = await import(${JSON.stringify(EXPORT)});
      await exportCsv(${JSON.stringify(logOf(10))}, {}, process.argv[1]);`;
    const command = `"$0" --input-type=module -e "$1" ${target} | cat`;
    const written = execFileSync('bash', ['-c', command, process.execPath, program], { encoding: 'utf8' });
    expect(written.split('\r\n')).toHaveLength(12);
  });

  it('to a disk that is full says so, and leaves nothing half done', async () => {
    const path = logOf(20_000);
    const target = join(path, '../out.csv');
    symlinkSync('/dev/full', `${target}.${process.pid}.half`);
    await expect(exportCsv(path, {}, target)).rejects.toThrow(/ENOSPC/);
    expect(readdirSync(join(path, '..')).filter((name) => name.startsWith('out'))).toEqual([]);
  });

  it('to a place that cannot be written says so', async () => {
    const path = logOf(10);
    for (const write of [exportCsv, exportDuckdb]) {
      await expect(write(path, {}, join(path, 'x'))).rejects.toMatchObject({ code: 'file_unavailable' });
    }
  });
});

describe('a time', () => {
  // Requirements: audit-query.time
  it.each([
    ['2026-08-01', 'start', '2026-08-01T00:00:00.000Z'],
    ['2026-08-01', 'end', '2026-08-01T23:59:59.999Z'],
    ['2026-08-01T12:30', 'start', '2026-08-01T12:30:00.000Z'],
    ['2026-08-01 12:30:05.25', 'start', '2026-08-01T12:30:05.250Z'],
    ['2026-08-01T12:30:00+02:00', 'start', '2026-08-01T10:30:00.000Z'],
    ['2026-08-01t12:30:00z', 'end', '2026-08-01T12:30:00.000Z'],
    ['2024-02-29', 'start', '2024-02-29T00:00:00.000Z'],
    ['2026-02-30', 'start', null],
    ['2026-13-01', 'start', null],
    ['yesterday', 'start', null],
    ['', 'start', null],
    ['1', 'end', null],
  ] as const)('%s as the %s of a range is %s, in any zone of the machine', (text, edge, moment) => {
    expect(toMoment(text, edge)).toBe(moment);
  });

  it.each([
    ['30s', 30_000],
    ['90m', 5_400_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['1.5h', null],
    ['-1h', null],
    ['h', null],
  ])('ago: %s is %s ms', (text, ms) => {
    expect(toDuration(text)).toBe(ms);
  });
});

describe('the query string of the admin API', () => {
  const parse = (text: string) => parseAuditQuery(new URLSearchParams(text));

  // Requirements: audit-query.limit, audit-query.offset, audit-query.operation_name, audit-query.operation_status
  // Requirements: audit-query.operation_type, audit-query.schema_name, audit-query.time, audit-query.trace_id, audit-query.user_id
  // Requirements: limit.audit
  it('has defaults, and every parameter of the spec', () => {
    expect(parse('')).toEqual({ filter: {}, limit: 100, offset: 0 });
    const all =
      'schema_name=svc.endpoints&start_time=2026-08-01&end_time=2026-08-02T00:00:00Z&operation_type=tool&operation_name=a%27b&operation_status=error&user_id=u&trace_id=t&limit=1000&offset=5';
    expect(parse(all)).toEqual({
      filter: {
        schema_name: 'svc.endpoints',
        start_time: '2026-08-01T00:00:00.000Z',
        end_time: '2026-08-02T00:00:00.000Z',
        operation_type: 'tool',
        operation_name: "a'b",
        operation_status: 'error',
        user_id: 'u',
        trace_id: 't',
      },
      limit: 1_000,
      offset: 5,
    });
  });

  it.each([
    // Requirements: limit.audit
    ['limit=0', /limit/],
    // Requirements: audit-query.limit, limit.audit
    ['limit=1001', /limit must be 1000 or less/],
    ['limit=ten', /limit must be a whole number/],
    ['limit=', /limit/],
    ['limit=5&limit=6', /limit is given twice/],
    // Requirements: audit-query.offset
    ['offset=-1', /offset/],
    // Requirements: audit-query.operation_type
    ['operation_type=spell', /operation_type must be one of tool, resource, prompt/],
    // Requirements: audit-query.operation_status
    ['operation_status=ok', /operation_status/],
    ['start_time=yesterday', /start_time must be an ISO 8601 time/],
    ['nonsense=1', /nonsense is not a known parameter/],
  ])('refuses %s', (text, message) => {
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(SvcError);
  });
});
