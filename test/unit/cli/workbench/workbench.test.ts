import { cpSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasCompiler, makeRepository } from '../../adapters/duckdb-native/engine/extension-double.ts';
import { folder, Svc, svc } from '../svc.ts';

const LOST_TABLE = `svc: 1
tool:
  name: lost_table
  source: { code: SELECT * FROM no_such_table }
`;

const ASKS = `svc: 1
tool:
  name: asks
  ask:
    - - { name: word, kind: sampling, message: Describe the shop, otherwise: skip }
      - { name: places, kind: roots, otherwise: skip }
  source: { code: "SELECT $word AS word, $places[1] AS place" }
`;

/** The workbench of a running `svc dev`, as its page uses it. */
class Bench {
  readonly root: string;
  /** The served address. */
  readonly url: string;
  readonly page: URL;
  readonly cookie: string;
  readonly door: string;

  constructor(root: string, url: string, door: string, entered: Response) {
    this.root = root;
    this.url = url;
    this.door = door;
    this.page = new URL(entered.headers.get('location') ?? '', door);
    this.cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  }

  send(path: string, body?: object, headers: Record<string, string> = {}) {
    const own = { cookie: this.cookie, ...headers };
    const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return fetch(new URL(`api/${path}`, this.page), {
      headers: body === undefined ? own : { origin: this.page.origin, ...own },
      ...posted,
    });
  }

  async ask(path: string, body?: object) {
    const response = await this.send(path, body);
    return { status: response.status, answer: await response.json() };
  }

  call(user: unknown, args: object = { id: 1 }, name = 'get_customer') {
    return this.ask('call', { kind: 'tool', name, arguments: args, user });
  }
}

/** Opens the workbench of the shop example, after `prepare` has changed its folder. */
async function openBench(
  prepare: (root: string) => Promise<void> = async () => {},
  env: Readonly<Record<string, string>> = {},
): Promise<Bench> {
  const root = join(folder(), 'shop');
  cpSync('examples/shop', root, { recursive: true });
  await prepare(root);
  const program = new Svc(['dev', '--port', '0', '--json'], { cwd: root, env });
  const { url, workbench } = JSON.parse((await program.until(/^.*\n/))[0]);
  return new Bench(root, url, workbench, await fetch(workbench, { redirect: 'manual' }));
}

describe('the workbench of svc dev', () => {
  // Requirements: workbench.door
  it('opens to its key alone, on another port than the served one', async () => {
    const bench = await openBench();
    expect(new URL(bench.door).port).not.toBe(new URL(bench.url).port);
    expect(new URL(bench.door).hostname).toBe('127.0.0.1');
    expect((await bench.send('state')).status).toBe(200);
    expect((await bench.send('state', undefined, { cookie: '' })).status).toBe(403);
    expect((await bench.send('reload', {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await bench.send('reload', {}, { origin: 'null' })).status).toBe(403);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect((await bench.send('state', undefined, foreign)).status).toBe(403);
    // on the served address there is nothing of it, with or without the cookie
    const { origin } = new URL(bench.url);
    for (const path of ['/api/state', '/api/call', `${bench.page.pathname}api/state`, '/assets/main.js']) {
      const answer = await fetch(new URL(path, origin), { headers: { cookie: bench.cookie } });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const { search } = new URL(bench.door);
    const landing = await fetch(`${origin}/${search}`, { redirect: 'manual' });
    expect([landing.status, landing.headers.get('set-cookie')]).toEqual([200, null]);
  });

  // Requirements: workbench.inline
  it('has one script and one style, and a policy without inline code', async () => {
    const bench = await openBench();
    const page = await fetch(bench.page, { headers: { cookie: bench.cookie } });
    const html = await page.text();
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(html).not.toMatch(/<style|<script(?![^>]*src=)|\son\w+=|https?:/);
    const assets = [...html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.map((path) => path.replace(/-[\w]{8}\./, '-HASH.'))).toEqual([
      'assets/main-HASH.css',
      'assets/main-HASH.js',
    ]);
    for (const path of assets) {
      const asset = await fetch(new URL(path, bench.page), { headers: { cookie: bench.cookie } });
      expect(asset.headers.get('cache-control')).toContain('immutable');
      expect((await asset.text()).length).toBeLessThan(100_000);
    }
    const odd = await fetch(new URL('assets/..%2f..%2fcli%2fmain.js', bench.page), {
      headers: { cookie: bench.cookie },
    });
    expect(odd.status).toBe(404);
  });

  // Requirements: workbench.call
  it('runs calls as anybody, through the policies, the records and the statistics of every call', async () => {
    const bench = await openBench();
    const { answer: denied } = await bench.call(null);
    expect(denied).toMatchObject({ failed: true, live: { record: { policy_decision: 'deny' } } });
    expect(denied.text).toContain('Sign in to see customers');
    const { answer: support } = await bench.call('support');
    expect(support.value).toEqual({
      id: 1,
      name: 'Ada Lovelace',
      phone: '****',
      address: { city: 'London' },
    });
    expect(JSON.stringify(support)).not.toContain('ada@example.com');
    const claims = { role: 'manager', permissions: ['customers.pii'] };
    const { answer: manager } = await bench.call(claims);
    expect(manager.value).toMatchObject({ email: 'ada@example.com', credit_limit: 5000 });
    expect(manager.sent).toMatchObject({ method: 'tools/call', params: { name: 'get_customer' } });
    expect(manager.received).toMatchObject({ jsonrpc: '2.0', result: { structuredContent: { id: 1 } } });
    expect(manager.tokens).toBeGreaterThan(20);
    const [root, ...steps] = manager.live.spans;
    expect(root.name).toBe('svc.endpoint.execute');
    expect(steps.map(({ name }: { name: string }) => name)).toContain('svc.database.execute');
    expect(JSON.stringify(steps)).toMatch(/"db.statement.hash":"[\da-f]{64}"/);
    const { answer: activity } = await bench.ask('activity');
    expect(activity.endpoints).toMatchObject([
      { endpoint: 'tool/get_customer', calls: 3, errors: 1, denials: 1, rows: 2 },
    ]);
  });

  // Requirements: workbench.scopes
  it('holds callers to the scopes that their claims state', async () => {
    const bench = await openBench();
    const stock = { sku: 'TEA-001', pieces: 3 };
    const without = await bench.call({ role: 'warehouse', scope: 'other' }, stock, 'set_stock');
    expect(without.answer.failed).toBe(true);
    expect(JSON.stringify(without.answer.received)).toMatch(/shop\.write/);
  });

  // Requirements: workbench.questions
  it('shows the questions of a call, and calls again with the answers', async () => {
    const bench = await openBench();
    const args = { sku: 'TEA-001', pieces: 1 };
    const call = { kind: 'tool', name: 'write_off', arguments: args, user: 'warehouse' };
    const asked = (await bench.ask('call', call)).answer;
    expect(asked.questions).toMatchObject([
      { key: 'why', message: 'What happened to the 1 pieces of TEA-001?', schema: { required: ['cause'] } },
    ]);
    const reply = (before: typeof asked, inputResponses: object) =>
      bench.ask('call', {
        ...call,
        answers: { inputResponses, requestState: before.received.result.requestState },
      });
    const why = { why: { action: 'accept', content: { cause: 'broken' } } };
    const confirmed = (await reply(asked, why)).answer;
    expect(confirmed.questions).toMatchObject([{ message: expect.stringContaining('off the books') }]);
    const [{ key }] = confirmed.questions;
    const declined = (await reply(confirmed, { [key]: { action: 'decline' } })).answer;
    expect(declined).toMatchObject({ failed: true, questions: [] });
  });

  // Requirements: workbench.questions
  it('answers for the model and the folders of a client', async () => {
    const bench = await openBench((root) => writeFile(join(root, 'tools/asks.yml'), ASKS));
    const call = { kind: 'tool', name: 'asks', arguments: {}, user: null };
    const asked = (await bench.ask('call', call)).answer;
    expect(asked.questions).toMatchObject([
      {
        key: 'word',
        method: 'sampling/createMessage',
        message: 'Describe the shop',
        schema: { required: ['text'] },
      },
      { key: 'places', method: 'roots/list', schema: { required: ['roots'] } },
    ]);
    const inputResponses = {
      word: { role: 'assistant', model: 'workbench', content: { type: 'text', text: 'cosy' } },
      places: { roots: [{ uri: 'file:///shop' }] },
    };
    const answers = { inputResponses, requestState: asked.received.result.requestState };
    const { answer } = await bench.ask('call', { ...call, answers });
    expect(answer.value).toEqual([{ word: 'cosy', place: 'file:///shop' }]);
  });

  // Requirements: workbench.failure
  it('tells the author the reason of an error that its client does not get', async () => {
    const bench = await openBench((root) => writeFile(join(root, 'tools/lost_table.yml'), LOST_TABLE));
    const { answer } = await bench.call(null, {}, 'lost_table');
    expect(answer).toMatchObject({ failed: true, code: 'sql_failed' });
    expect(answer.text).toMatch(/^The query of this endpoint failed\. \(error id [\w-]+\)$/);
    expect(JSON.stringify(answer.received)).not.toContain('no_such_table');
    expect(answer.cause).toContain('no_such_table');
    const { answer: denied } = await bench.call(null);
    expect(denied).toMatchObject({ failed: true, code: 'denied', cause: null });
  });

  it('reads resources and prompts, and shows the errors of clients', async () => {
    const bench = await openBench();
    const resource = { kind: 'resource', name: 'shop://opening-hours', arguments: {}, user: null };
    expect((await bench.ask('call', resource)).answer.failed).toBe(false);
    const { answer: wrong } = await bench.call('support', { id: 'x' });
    expect(wrong).toMatchObject({ failed: true });
    expect(wrong.text).toContain('id');
    const { status, answer } = await bench.call('nobody of this name');
    expect([status, answer.message]).toEqual([400, expect.stringContaining('no user named')]);
    expect((await bench.ask('call', { kind: 'tool' })).status).toBe(400);
  });

  // Requirements: workbench.save
  it('runs tests, and saves a call as a test after it showed the change', async () => {
    const bench = await openBench();
    const file = join(bench.root, 'tools/get_customer.yml');
    const before = await readFile(file, 'utf8');
    const report = await bench.ask('tests', { endpoint: 'tool/get_customer' });
    expect(report.answer.tests.map(({ status }: { status: string }) => status)).toEqual(
      Array(5).fill('passed'),
    );
    const draft = {
      endpoint: 'tool/get_customer',
      name: 'customer 2',
      arguments: { id: 2 },
      user_context: { role: 'support' },
      expect: { result: (await bench.call('support', { id: 2 })).answer.value },
    };
    const { answer: change } = await bench.ask('tests/draft', draft);
    expect(change.file).toBe('tools/get_customer.yml');
    expect(change.diff).toContain('+     - name: customer 2');
    expect(change.diff.filter((line: string) => line.startsWith('-'))).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe(before);
    const stale = await bench.ask('tests/save', { ...draft, hash: 'another' });
    expect([stale.status, stale.answer.message]).toEqual([400, expect.stringContaining('has changed')]);
    expect(await bench.ask('tests/save', { ...draft, hash: change.hash })).toEqual({
      status: 200,
      answer: {},
    });
    const after = await readFile(file, 'utf8');
    expect(after.startsWith(before.trimEnd())).toBe(true);
    await expect
      .poll(async () => (await bench.ask('tests', { endpoint: 'tool/get_customer' })).answer.tests.at(-1))
      .toMatchObject({ name: 'customer 2', status: 'passed' });
  });

  it.each([
    ['tool', 'all_orders', 'all_orders', 'tools/all_orders.yml', {}],
    ['tool', 'many_numbers', 'many_numbers', 'tools/many_numbers.yml', {}],
    ['tool', 'three_texts', 'three_texts', 'tools/three_texts.yml', {}],
    ['resource', 'digits', 'shop://digits', 'resources/digits.yml', {}],
    ['prompt', 'sales_review', 'sales_review', 'prompts/sales_review.yml', { month: '2026-02' }],
  ])(
    'saves a test that holds, whatever the form of the answer: %s %s',
    async (kind, id, name, file, args) => {
      const bench = await openBench(async (root) => {
        const tool = (own: string, source: string, more: string) =>
          writeFile(
            join(root, `tools/${own}.yml`),
            `svc: 1\ntool:\n  name: ${own}\n  source: { code: "${source}" }\n${more}`,
          );
        await tool('all_orders', 'SELECT * FROM orders ORDER BY id', '  format: csv\n');
        await tool('many_numbers', 'SELECT range AS n FROM range(20)', '  large_result: { rows: 10 }\n');
        await tool(
          'three_texts',
          "SELECT 'text' AS type, 'n' || range AS text FROM range(3)",
          '  content: rows\n',
        );
        await writeFile(
          join(root, 'resources/digits.yml'),
          'svc: 1\nresource:\n  uri: shop://digits\n  name: digits\n  mime_type: text/plain\n  return: { type: string }\n  source: { code: "SELECT \'123\' AS digits" }\n',
        );
      });
      const { answer } = await bench.ask('call', { kind, name, arguments: args, user: null });
      const draft = {
        endpoint: `${kind}/${id}`,
        name: 'saved here',
        arguments: args,
        user_context: null,
        expect: { result: answer.result },
      };
      const { answer: change } = await bench.ask('tests/draft', draft);
      expect(change.file).toBe(file);
      expect((await bench.ask('tests/save', { ...draft, hash: change.hash })).status).toBe(200);
      await expect
        .poll(async () => (await bench.ask('tests', { endpoint: draft.endpoint })).answer.tests.at(-1), {
          timeout: 20_000,
        })
        .toMatchObject({ name: 'saved here', status: 'passed' });
    },
  );

  // Requirements: workbench.save
  it('keeps a disabled file apart from the served endpoint of its name', async () => {
    const total = (more: string) =>
      `svc: 1\ntool:\n  name: total\n  source: { code: SELECT 1 AS one }\n${more}`;
    const bench = await openBench(async (root) => {
      await writeFile(join(root, 'tools/a_old.yml'), total('  enabled: false\n'));
      const test = '  tests: [{ name: one, arguments: [], result: [{ one: 1 }] }]\n';
      await writeFile(join(root, 'tools/total.yml'), total(test));
    });
    const { answer: state } = await bench.ask('state');
    const cards = state.endpoints.filter(({ name }: { name: string }) => name === 'total');
    expect(cards).toMatchObject([
      { id: 'tools/a_old.yml', file: 'tools/a_old.yml', enabled: false, served: false, tokens: 0 },
      { id: 'tool/total', file: 'tools/total.yml', enabled: true, served: true },
    ]);
    const { answer: report } = await bench.ask('tests', { endpoint: 'tool/total' });
    expect(report.tests).toMatchObject([{ name: 'one', status: 'passed' }]);
    const draft = {
      endpoint: 'tool/total',
      name: 'two',
      arguments: {},
      user_context: null,
      expect: { result: 1 },
    };
    expect((await bench.ask('tests/draft', draft)).answer.file).toBe('tools/total.yml');
  });

  // Requirements: workbench.findings
  it('shows findings at their line while a file is broken', async () => {
    const bench = await openBench();
    const file = join(bench.root, 'tools/best_customer.yml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('description:', 'descripton:'));
    const found = async () =>
      (await bench.ask('state')).answer.findings.find(({ code }: { code: string }) => code === 'unknown-key');
    await expect.poll(found).toMatchObject({ severity: 'error', file: 'tools/best_customer.yml', line: 4 });
    expect((await found()).frame.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5, 6]);
    await writeFile(file, text);
    await expect.poll(found).toBeUndefined();
  });

  // Requirements: workbench.health
  it.runIf(hasCompiler())('shows the server, and the health of each database', async () => {
    // An extension that reaches outside lets the server start without the file.
    const env = {
      SVC_EXTENSION_REPOSITORY: await makeRepository('svc_double'),
      SVC_EXTENSION_DIRECTORY: folder(),
      SVC_ALLOW_UNSIGNED_EXTENSIONS: 'true',
    };
    const bench = await openBench(async (root) => {
      const archive = await DuckDBInstance.create(join(root, 'archive.duckdb'));
      archive.closeSync();
      const site = join(root, 'svc-site.yml');
      const attach = `      attach: [{ name: archive, uri: archive.duckdb }, { name: gone, uri: gone.duckdb, required: false }]\n`;
      const text = (await readFile(site, 'utf8')).replace(/( +path: .*\n)/, `$1${attach}`);
      await writeFile(site, `${text}\nextensions: [svc_double]\n`);
    }, env);
    const { answer } = await bench.ask('server');
    expect(answer).toMatchObject({ status: { status: 'ok' }, config: { project: 'shop' } });
    expect(answer.databases).toMatchObject([
      { name: 'database', ok: true, message: null },
      { name: 'archive', ok: true, message: null },
      { name: 'gone', ok: false, message: expect.stringContaining('gone') },
    ]);
  });

  // Requirements: workbench.drift
  it('shows drift from the baseline, and says if there is none', async () => {
    const bench = await openBench();
    expect((await bench.ask('drift', {})).answer.message).toContain('svc drift-snapshot');
    const { code, stderr } = await svc(['drift-snapshot'], bench.root);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect((await bench.ask('drift', {})).answer).toMatchObject({
      changes: [],
      message: expect.stringMatching(/^No drift from /),
    });
    const file = join(bench.root, 'tools/best_customer.yml');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('name: best_customer', 'name: top_customer'),
    );
    const drift = async () => (await bench.ask('drift', {})).answer.changes;
    await expect.poll(drift, { timeout: 60_000 }).toContainEqual({
      severity: 'breaking',
      title: expect.stringContaining('best_customer'),
    });
  });

  // Requirements: workbench.reload
  it('reloads, and says how the reload ended', async () => {
    const bench = await openBench();
    const { answer: before } = await bench.ask('server');
    expect(before.status.reload.last_reload).toBeNull();
    expect((await bench.ask('reload', {})).status).toBe(200);
    const reload = async () => (await bench.ask('server')).answer.status.reload;
    await expect.poll(reload, { timeout: 60_000 }).toMatchObject({
      in_progress: false,
      last_reload_status: 'success',
      last_reload_error: null,
    });
  });
});

describe('the workbench of svc admin --web', () => {
  // Requirements: workbench.watch
  it('watches svc serve, which answers nothing of it itself', async () => {
    const root = join(folder(), 'shop');
    cpSync('examples/shop', root, { recursive: true });
    const socket = join(root, 'svc.sock');
    const env = { SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: socket };
    const program = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
    const { url, workbench } = JSON.parse((await program.until(/^.*\n/))[0]);
    expect(workbench).toBeUndefined();
    const web = new Svc(['admin', '--web', '--json', '--socket', socket], { cwd: root });
    const { url: door } = JSON.parse((await web.until(/^.*\n/))[0]);
    const bench = new Bench(root, url, door, await fetch(door, { redirect: 'manual' }));
    onTestFinished(() => void web.child.kill());

    const { answer: state } = await bench.ask('state');
    expect(state).toMatchObject({ project: 'shop', authoring: false });
    expect(state.endpoints.every(({ source }: { source: unknown }) => source === null)).toBe(true);
    for (const path of ['call', 'tests', 'tests/draft', 'tests/save', 'drift']) {
      const { status, answer } = await bench.ask(path, {});
      expect([path, status, answer.message]).toEqual([path, 403, expect.stringContaining('svc dev')]);
    }
    // the stream begins at once, not with the first event or the first sign of life after 15 seconds
    const events = await fetch(new URL('api/events', bench.page), {
      headers: { cookie: bench.cookie },
      signal: AbortSignal.timeout(10_000),
    });
    expect([events.status, events.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await events.body?.cancel();
    const { origin } = new URL(url);
    for (const path of ['/api/state', '/api/calls', '/api/events', '/assets/main.js', '/docs']) {
      expect([path, (await fetch(origin + path)).status]).toEqual([path, 404]);
    }
  });
});
