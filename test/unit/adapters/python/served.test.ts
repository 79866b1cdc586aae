import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTelemetry } from '../../../../adapters/otel/telemetry.ts';
import { openPython } from '../../../../adapters/python/open.ts';
import { createBackgroundHost } from '../../../../src/call/python-host.ts';
import type { Runtime } from '../../../../src/call/runtime.ts';
import type { ToolEntry } from '../../../../src/catalog/model.ts';
import type { RequestContext } from '../../../../src/context.ts';
import type { JsonObject, JsonValue } from '../../../../src/json.ts';
import { answerCall } from '../../../../src/mcp/methods/tools.ts';
import type { Span } from '../../../../src/ports.ts';
import { runEndpoint } from '../../../../src/quality/run-endpoint.ts';
import { ALICE, contextOf, errorOf, type Served, serveTree, type Tree } from '../../call/project.ts';
import { startReceiver } from '../otel/receiver.ts';
import { PYTHON } from './found.ts';

const TOOL = (name: string, more = '') => `tool:\n  name: ${name}\n  source: { file: all.py }\n${more}`;
const NUMBER = '  parameters: [{ name: n, type: integer, default: 2 }]\n';

const TREE: Tree = {
  'tools/rows.yml': TOOL(
    'rows',
    `${NUMBER}  return: { type: array, items: { type: object } }\n  limits: { rows: 3 }\n`,
  ),
  'tools/one-row.yml': TOOL(
    'one-row',
    `${NUMBER}  return: { type: object, properties: { id: { type: integer } } }\n`,
  ),
  'tools/one_value.yml': TOOL('one_value', '  return: { type: integer }\n'),
  'tools/names.yml': TOOL('names', '  return: { type: array, items: { type: string } }\n'),
  'tools/wrong.yml': TOOL('wrong', '  return: { type: object, properties: { id: { type: integer } } }\n'),
  'tools/picture.yml': TOOL('picture', '  mime_type: image/png\n'),
  'tools/no_picture.yml': TOOL('no_picture', '  mime_type: image/png\n'),
  'tools/blocks.yml': TOOL('blocks', '  content: rows\n'),
  'tools/masked.yml': TOOL(
    'masked',
    `  return: { type: object, properties: { name: { type: string }, salary: { type: number } } }
  policies:
    input: [{ condition: "user.role == 'guest'", action: deny, reason: No guests. }]
    output: [{ condition: "user.role != 'admin'", action: filter_fields, fields: [salary] }]
`,
  ),
  'tools/large.yml': TOOL('large', NUMBER),
  'tools/who.yml': TOOL('who'),
  'tools/writes.yml': TOOL('writes'),
  'tools/reads_only.yml': TOOL('reads_only', '  annotations: { readOnlyHint: true }\n'),
  'tools/mistakes.yml': TOOL('mistakes', '  parameters: [{ name: sql, type: string }]\n'),
  'tools/slow_query.yml': TOOL('slow_query', '  limits: { timeout: 1.5 }\n'),
  'tools/few_rows.yml': TOOL(
    'few_rows',
    '  parameters: [{ name: sql, type: string }]\n  limits: { scan_rows: 3 }\n',
  ),
  'tools/told.yml': TOOL('told'),
  'tools/fails.yml': TOOL('fails'),
  'tools/parses.yml': TOOL('parses', '  parameters: [{ name: document, type: string, sensitive: true }]\n'),
  'resources/item.yml': `resource:
  uri: shop://items/{id}
  parameters: [{ name: id, type: integer }]
  return: { type: object }
  source: { file: /tools/all.py }
`,
  'resources/page.yml':
    'resource:\n  uri: shop://page\n  name: page\n  mime_type: text/html\n  source: { file: /tools/all.py }\n',
  'tools/all.py': `
from svc.runtime import audit, db, mcp, user

def rows(n):
    return db.execute("SELECT id, name FROM items ORDER BY id LIMIT $n", {"n": n})

def one_row(n):
    return rows(n)

def one_value():
    return db.execute("SELECT count(*) AS n FROM items")

def names():
    return db.execute("SELECT name FROM items ORDER BY id")

def wrong():
    return {"id": "x"}

def picture():
    return b"\\x89PNG"

def no_picture():
    return "text"

def blocks():
    return [{"type": "text", "text": "one"}, {"type": "image", "mime_type": "image/png", "data": b"\\x89PNG"}]

def large(n):
    import os

    return os.getpid() if n == 1 else "x" * n

def masked():
    return {"name": "Ada", "salary": 1}

def who():
    return [user.email, user.external_token, db.execute("SELECT get_user_email() AS e, get_username() AS u")]

def writes():
    return db.execute("INSERT INTO items VALUES (9, 'nine')")

def reads_only():
    return writes()

def mistakes(sql):
    try:
        return db.execute(sql, {"a": 1})
    except Exception as error:
        return [type(error).__name__, error.code, str(error)]

def few_rows(sql):
    return [db.execute("SELECT 1 AS n FROM range(2)"), mistakes(sql)]

def slow_query():
    return db.execute("SELECT count(*) FROM range(100000000) a, range(100000) b")

def told():
    mcp.info("working")
    mcp.progress(1, 2, "half")
    with audit.event(target="elsewhere"):
        return True

def parses(document):
    from urllib.parse import quote, urlencode

    print(document)
    mcp.warning(document)
    mcp.info(f"https://example.com/{quote(document)}?{urlencode({'q': document})}")
    mcp.info(f"{document!r} {document.splitlines()[1]!r}")
    print("parsed")
    raise ValueError(f"cannot parse {document}")

def fails():
    raise ValueError("planted-in-exception")

def shop_items(id):
    return {"id": id, "price": 1.5}

def page():
    return "<p>hello</p>"
`,
};

const SEED =
  "CREATE TABLE items (id INTEGER, name VARCHAR); INSERT INTO items VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')";

const TELEMETRY = {
  enabled: true,
  headers: {},
  service_name: null,
  service_version: null,
  environment: null,
  resource_attributes: {},
};

let served: Served;
let runtime: Runtime;
let root: string;
const spans: string[] = [];
const languages: unknown[] = [];

beforeAll(async () => {
  if (PYTHON === null) return;
  root = await mkdtemp(join(tmpdir(), 'python-served-'));
  for (const [path, text] of Object.entries(TREE)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  served = await serveTree(TREE, SEED);
  const { log, database } = served.runtime;
  const python = await openPython({
    root,
    folder: 'python',
    env: process.env,
    settings: { secret: () => null, config: () => ({ site: {}, user: {} }) },
    background: createBackgroundHost(database, log),
    log,
    size: 1,
  });
  const span = (depth: number): Span => ({
    traceId: null,
    set: () => {},
    span: (name, attributes, run) => {
      spans.push(`${'  '.repeat(depth)}${name} ${Object.keys(attributes).length}`);
      languages.push(attributes['svc.execution.language']);
      return run(span(depth + 1));
    },
  });
  const traced = {
    trace: <T>(_n: string, _a: unknown, _p: unknown, run: (span: Span) => Promise<T>) => run(span(0)),
  };
  runtime = { ...served.runtime, python: async () => python, spans: traced };
});
afterAll(async () => {
  if (PYTHON === null) return;
  await (await runtime.python?.())?.close();
  await served.close();
  await rm(root, { recursive: true, force: true });
});

const call = (name: string, args: JsonObject = {}, context: RequestContext = contextOf(ALICE)) =>
  runEndpoint(runtime, 'tool', name, args, context);
const value = async (name: string, args: JsonObject = {}): Promise<JsonValue> =>
  (await call(name, args)).value;

describe.skipIf(PYTHON === null)('what a Python endpoint answers', () => {
  // Requirements: endpoint.python
  it('is rows, held to the limit like those of a statement', async () => {
    expect(await value('rows')).toEqual([
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
    ]);
    const { value: cut, truncated } = await call('rows', { n: 4 });
    expect([cut, truncated]).toEqual([
      expect.objectContaining({ length: 3 }),
      expect.objectContaining({ limit: 3 }),
    ]);
  });

  it('is shaped as `return` declares, also what db.execute gave', async () => {
    expect(await value('one-row', { n: 1 })).toEqual({ id: 1, name: 'one' });
    expect((await errorOf(call('one-row', { n: 0 }))).code).toBe('not_found');
    expect((await errorOf(call('one-row', { n: 2 }))).code).toBe('result_invalid');
    expect(await value('one_value')).toBe(4);
    expect(await value('names')).toEqual(['one', 'two', 'three', 'four']);
  });

  it('has 64 MiB at most, and Python goes on', async () => {
    const pid = await value('large', { n: 1 });
    const code = 'result_too_large';
    const message = 'The function returned more than 67108864 bytes.';
    expect(await errorOf(call('large', { n: 67_108_864 }))).toMatchObject({ code, message });
    expect(await value('large', { n: 1 })).toBe(pid);
  });

  it('is held against `return`', async () => {
    expect((await errorOf(call('wrong'))).code).toBe('result_invalid');
  });

  it('is a picture where its function returns bytes', async () => {
    expect(await call('picture')).toMatchObject({ value: 'iVBORw==', binary: true });
    expect((await errorOf(call('no_picture'))).message).toBe(
      'no_picture declares mime_type image/png, but its function did not return bytes.',
    );
    expect((await call('blocks')).blocks).toEqual([
      { type: 'text', text: 'one' },
      { type: 'image', data: 'iVBORw==', mimeType: 'image/png' },
    ]);
  });

  it('passes the same policies', async () => {
    expect(await value('masked')).toEqual({ name: 'Ada' });
    const guest = contextOf({ ...ALICE, role: 'guest' });
    expect((await errorOf(call('masked', {}, guest))).code).toBe('denied');
  });

  it('may be a resource, whose function is called like its name or its URI', async () => {
    const read = (uri: string) => runEndpoint(runtime, 'resource', uri, {}, contextOf());
    expect((await read('shop://items/7')).value).toEqual({ id: 7, price: 1.5 });
    expect((await read('shop://page')).text).toBe('<p>hello</p>');
  });
});

describe.skipIf(PYTHON === null)('a statement of a Python endpoint', () => {
  it("runs in the caller's name", async () => {
    const rows = [{ e: 'alice@acme.com', u: 'alice' }];
    expect(await value('who')).toEqual(['alice@acme.com', 'planted-token', rows]);
  });

  it('writes nothing where nothing may be written', async () => {
    expect((await errorOf(call('writes'))).code).toBe('database_readonly');
    const error = await errorOf(call('reads_only'));
    expect([error.code, error.message]).toEqual([
      'database_readonly',
      'reads_only runs INSERT, but it declares `readOnlyHint: true`.',
    ]);
  });

  it.each([
    ['SELECT $b', 'sql_rejected', 'The statement cannot run. It uses $b, and the parameters have no b.'],
    ['SELECT 1; SELECT 2', 'sql_rejected', expect.stringContaining('more than one statement')],
    ['', 'sql_rejected', 'The statement cannot run. There is no SQL in it.'],
    ['SELECT * FROM nowhere', 'sql_failed', 'The query of this endpoint failed.'],
  ])('fails as an exception: %s', async (sql, code, text) => {
    expect(await value('mistakes', { sql })).toEqual(['DatabaseError', code, text]);
  });

  it('has the limits of its endpoint on scans, and the record adds up the estimates', async () => {
    const one = [{ n: 1 }, { n: 1 }];
    expect(await value('few_rows', { sql: 'SELECT $a AS a FROM range(1)' })).toEqual([one, [{ a: 1 }]]);
    expect(served.records.at(-1)?.estimate).toEqual({ rows: 3, bytes: null });
    const [, refused] = Object.values((await value('few_rows', { sql: 'SELECT $a AS a FROM items' })) ?? {});
    expect(refused).toEqual([
      'DatabaseError',
      'scan_too_large',
      expect.stringContaining('about 4 rows, and the limit is 3 (`limits.scan_rows`)'),
    ]);
    expect(served.records.at(-1)?.estimate).toEqual({ rows: 6, bytes: null });
  });

  it('gives no more bytes than a function may read, also outside of calls', async () => {
    const sql = "SELECT repeat('x', 1000000) AS text FROM range(70)";
    const code = 'result_too_large';
    const text = expect.stringContaining('A query gave more than 67108864 bytes.');
    expect(await value('mistakes', { sql })).toEqual(['DatabaseError', code, text]);
    const { database, log } = served.runtime;
    const work = createBackgroundHost(database, log).execute(sql, {});
    expect(await errorOf(work)).toMatchObject({ code, message: text });
  });

  it('ends with the time of its call', async () => {
    expect((await errorOf(call('slow_query'))).code).toBe('deadline_exceeded');
    expect(await value('one_value')).toBe(4);
  });
});

describe.skipIf(PYTHON === null)('whoever watches a Python endpoint', () => {
  it('is told of events, progress and notices', async () => {
    const progress: unknown[] = [];
    const informed: string[] = [];
    await call(
      'told',
      {},
      {
        ...contextOf(ALICE),
        progress: (...step) => void progress.push(step),
        notify: (level, text) => informed.push(`${level}: ${text}`) > 0,
      },
    );
    expect(progress).toContainEqual([1.5, 3, 'half']);
    expect(informed).toContain('info: working');
    expect(informed.join('\n')).toMatch(/The function took \d+ ms and gave 1 row\./);
    expect(served.records.at(-1)?.events).toMatchObject([
      { kind: 'external', target: 'elsewhere', status: 'success' },
    ]);
  });

  // Requirements: attribute.svc.execution.language, privacy.python, span.python
  it('sees the spans of the specification', async () => {
    spans.length = 0;
    languages.length = 0;
    await call('one_value');
    expect(languages.filter((language) => language !== undefined)).toEqual(['python']);
    expect(spans).toEqual([
      'svc.policy.enforce_input 0',
      'svc.validation.input 0',
      'svc.execution_engine.execute 4',
      '  svc.python.execute 0',
      '    svc.database.execute 5',
      '  svc.validation.output 0',
      'svc.policy.enforce_output 0',
    ]);
  });

  // Requirements: privacy.credentials, privacy.parameters, privacy.python, privacy.results, privacy.sql
  it('gets no code, no SQL, no value and no exception by telemetry', async () => {
    const receiver = await startReceiver();
    const tracing = { enabled: true, console_export: false };
    const metrics = { enabled: true, export_interval: 3600 };
    const telemetry = createTelemetry({
      settings: { ...TELEMETRY, endpoint: receiver.url, tracing, metrics },
      project: 'demo',
      version: '1',
      log: () => {},
      write: () => {},
      onDemand: true,
    });
    onTestFinished(async () => {
      await telemetry.close();
      await receiver.close();
    });
    const { spans, observe } = telemetry;
    const traced = { ...runtime, spans, observe };
    for (const [name, args] of [
      ['one_value', {}],
      ['who', {}],
      ['fails', {}],
      ['mistakes', { sql: 'SELECT planted_column FROM planted_table' }],
    ] as const) {
      await runEndpoint(traced, 'tool', name, args, contextOf(ALICE)).catch(() => null);
    }
    await telemetry.flush();
    const sent = receiver.bytes();
    expect(sent).toContain('svc.python.execute');
    expect(sent).toContain('python_failed');
    expect(sent).not.toMatch(/planted|alice|SELECT |def |return |raise|all\.py|Error/);
  });

  it('finds no sensitive argument in the log, in any form', async () => {
    const line = `planted "one" and 'two' of ${'x'.repeat(60)}`;
    const document = `${line}\nplanted three/\u00fc \n`.repeat(50);
    const before = served.lines.length;
    const entry = runtime.catalog.tools.parses as ToolEntry;
    const sealer = () => {
      throw new Error('nothing is sealed');
    };
    const options = {
      context: contextOf(ALICE),
      era: 'legacy',
      sealer,
      views: false,
      onRun: () => {},
    } as const;
    await answerCall(runtime, entry, { document }, options);
    const logged = () => JSON.stringify(served.lines.slice(before));
    await expect.poll(logged, { timeout: 15_000 }).toContain('parsed');
    expect(logged()).toContain('cannot parse [REDACTED]');
    expect(logged()).not.toContain('planted');
  });

  it('reads of an exception with its line, and the client does not', async () => {
    const error = await errorOf(call('fails'));
    expect([error.code, error.message]).toEqual([
      'python_failed',
      expect.stringMatching(/^tools\/all\.py:\d+: ValueError: planted-in-exception$/),
    ]);
    expect(served.records.at(-1)).toMatchObject({ status: 'error', error: { code: 'python_failed' } });
  });
});
