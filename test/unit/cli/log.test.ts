import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openScratch } from '../../../adapters/duckdb-native/files/scratch.ts';
import { createInput } from '../../../cli/command.ts';
import { createOutput } from '../../../cli/io/output.ts';
import { start } from '../../../cli/serve/start.ts';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import type { RequestContext } from '../../../src/context.ts';
import { folder, project, Svc, svc } from './svc.ts';

const ON = { SVC_AUDIT_ENABLED: '1' };
const LOG = 'audit/logs-default.jsonl';
const TOOLS = {
  secret: 'SELECT $pin AS pin',
  closed: 'SELECT 1 AS n',
  endless:
    'SELECT CAST(count(*) AS INTEGER) AS n FROM range(1000000) a, range(1000000) b WHERE hash(a.range + b.range) % 7 = 0',
};

async function audited(): Promise<string> {
  const root = await project();
  const tool = (name: string, more: string) =>
    writeFileSync(
      join(root, `tools/${name}.yml`),
      `svc: 1\ntool:\n  name: ${name}\n${more}  source: { code: "${TOOLS[name as keyof typeof TOOLS]}" }\n`,
    );
  tool('endless', '');
  tool('secret', '  parameters: [{ name: pin, type: string, sensitive: true }]\n');
  tool('closed', `  policies: { input: [{ condition: "true", action: deny, reason: Closed today. }] }\n`);
  return root;
}

interface Line {
  readonly [field: string]: unknown;
}

function records(root: string): readonly Line[] {
  const text = existsSync(join(root, LOG)) ? readFileSync(join(root, LOG), 'utf8') : '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function serve(root: string): Promise<{ server: Svc; url: string }> {
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env: ON });
  return { server, url: JSON.parse((await server.until(/^.*\n/))[0]).url };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function call(url: string, name: string, args: object, init: RequestInit = {}): Promise<Response> {
  return post(url, { name, arguments: args }, init);
}

/** Starts a call and answers once it runs: its progress is told as it goes. */
function startCall(url: string, name: string, init: RequestInit): Promise<Response> {
  return post(url, { name, arguments: {}, _meta: { progressToken: 1 } }, init);
}

function post(url: string, params: object, init: RequestInit): Promise<Response> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body), ...init });
}

function contextOf(signal: AbortSignal): RequestContext {
  const ids = { requestId: 'r', sessionId: null, traceparent: null };
  return { ...ids, transport: 'http', user: null, headers: () => null, signal };
}

describe('svc serve with audit', () => {
  // Requirements: audit.line, audit.operation_status, condition.call, event.audit, feature.audit
  it('has one record of every call: answered, denied, wrong, unknown and cancelled', {
    timeout: 60_000,
  }, async () => {
    const root = await audited();
    const { server, url } = await serve(root);
    await (await call(url, 'hello_world', { name: 'Ada' })).text();
    await (await call(url, 'closed', {})).text();
    await (await call(url, 'hello_world', { name: 5, password: 'planted-typo' })).text();
    await (await call(url, 'hello_wrld', { name: 'planted-unknown' })).text();
    await (await call(url, 'secret', { pin: 'planted-pin' })).text();
    const gone = new AbortController();
    const endless = await startCall(url, 'endless', { signal: gone.signal });
    await (await call(url, 'hello_world', { name: 'meanwhile' })).text();
    gone.abort();
    await expect(endless.text()).rejects.toThrow();
    await expect.poll(() => records(root).length, { timeout: 20_000 }).toBe(7);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0 });
    const byName = (name: string) => records(root).filter(({ operation_name }) => operation_name === name);
    expect(byName('closed')).toEqual([
      expect.objectContaining({
        operation_status: 'error',
        policy_decision: 'deny',
        policy_reason: 'Closed today.',
        error_message: 'Closed today.',
        caller_type: 'http',
      }),
    ]);
    expect(byName('hello_world').map(({ error_code }) => error_code)).toEqual([
      null,
      'arguments_invalid',
      null,
    ]);
    for (const { operation_status, error_code, error_message } of records(root)) {
      const failed = error_code !== null;
      expect([operation_status, error_message]).toEqual(
        failed ? ['error', expect.stringMatching(/.{10}/)] : ['success', null],
      );
    }
    expect(byName('hello_wrld').map(({ error_code }) => error_code)).toEqual(['endpoint_unknown']);
    expect(byName('endless').map(({ error_code }) => error_code)).toEqual(['cancelled']);
    expect(byName('secret').map(({ input_data }) => input_data)).toEqual([{ pin: '[REDACTED]' }]);
    expect(readFileSync(join(root, LOG), 'utf8')).not.toContain('planted');
  });

  // Requirements: audit.session_id
  it('D7: names the session of a client that has one', { timeout: 60_000 }, async () => {
    const root = await audited();
    const { server, url } = await serve(root);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const begun = await fetch(url, { method: 'POST', headers: HEADERS, body });
    await begun.text();
    const session = begun.headers.get('mcp-session-id');
    expect(session).not.toBeNull();
    const headers = { ...HEADERS, 'mcp-session-id': session ?? '', 'mcp-protocol-version': '2025-11-25' };
    await (await call(url, 'hello_world', { name: 'Ada' }, { headers })).text();
    server.child.kill('SIGTERM');
    await server.ended;
    expect(records(root).map(({ session_id }) => session_id)).toEqual([session]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'D23: has a record of every call that was answered before %s',
    { timeout: 60_000 },
    async (signal) => {
      const root = await audited();
      const { server, url } = await serve(root);
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, index) => call(url, 'hello_world', { name: `n${index}` })),
      );
      server.child.kill(signal);
      expect(answers.every(({ ok }) => ok)).toBe(true);
      expect((await server.ended).code).toBe(signal === 'SIGTERM' ? 0 : 130);
      const ids = records(root).map(({ record_id }) => record_id);
      expect(ids).toHaveLength(60);
      expect(new Set(ids).size).toBe(60);
    },
  );

  it('has a record of a call that its end cuts short', { timeout: 60_000 }, async () => {
    const root = await audited();
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(root);
    vi.stubEnv('SVC_AUDIT_ENABLED', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const started = await start(createInput([], {}), createOutput({ json: true, debug: false }));
    const entry = started.runtime.catalog.tools.endless;
    if (entry === undefined) throw new Error('no endless tool');
    const gone = new AbortController();
    const call = callEndpoint({
      runtime: started.runtime,
      entry,
      args: {},
      context: contextOf(gone.signal),
    }).catch(({ code }) => code);
    await expect.poll(() => started.leases.active, { timeout: 20_000 }).toBe(1);
    gone.abort();
    await started.close();
    expect(records(root).map(({ error_code }) => error_code)).toEqual(['cancelled']);
    expect(await call).toBe('cancelled');
  });

  it('does not start where it cannot record, and does by policy `warn`', { timeout: 60_000 }, async () => {
    const root = await audited();
    const site = readFileSync(join(root, 'svc-site.yml'), 'utf8');
    const withAudit = (audit: string) =>
      writeFileSync(
        join(root, 'svc-site.yml'),
        site.replace(/( {2}default:\n)/, `$1    audit: { ${audit} }\n`),
      );
    withAudit('enabled: true, path: svc-site.yml/x.jsonl');
    const { code, stderr } = await svc(['serve', '--port', '0'], root);
    expect(code).toBe(1);
    expect(stderr).toMatch(/The audit file .*x\.jsonl cannot be written/);
    withAudit('enabled: true, path: svc-site.yml/x.jsonl, on_error: warn');
    const { server, url } = await serve(root);
    expect((await call(url, 'hello_world', { name: 'Ada' })).status).toBe(200);
    expect(server.stderr).toMatch(/cannot be written .*calls continue/);
    server.child.kill('SIGTERM');
    await server.ended;
  });

  it('answers nothing while the disk is full', { timeout: 60_000 }, async () => {
    const root = await audited();
    const site = readFileSync(join(root, 'svc-site.yml'), 'utf8');
    const full = site.replace(/( {2}default:\n)/, '$1    audit: { enabled: true, path: /dev/full }\n');
    writeFileSync(join(root, 'svc-site.yml'), full);
    const { server, url } = await serve(root);
    await call(url, 'hello_world', { name: 'the first one finds it out' });
    await server.until(/cannot be written/, 'stderr');
    expect(await (await call(url, 'hello_world', { name: 'Ada' })).text()).toMatch(
      /Calls cannot be recorded/,
    );
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    expect(server.stderr).toMatch(/2 audit records are lost/);
  });
});

describe('svc run', () => {
  // Requirements: feature.audit, site.audit.enabled
  it('records too when audit is on, and not when it is off', { timeout: 60_000 }, async () => {
    const root = await audited();
    await svc(['run', 'tool', 'hello_world', '--param', 'name=off'], root);
    expect(existsSync(join(root, LOG))).toBe(false);
    await svc(['run', 'tool', 'hello_world', '--param', 'name=Ada'], root, ON);
    await svc(['run', 'tool', 'nothing'], root, ON);
    expect(records(root)).toEqual([
      expect.objectContaining({
        caller_type: 'cli',
        operation_status: 'success',
        input_data: { name: 'Ada' },
      }),
      expect.objectContaining({ caller_type: 'cli', error_code: 'endpoint_unknown' }),
    ]);
  });
});

/** A log with records of an hour ago, of two days ago, and of long ago in a rotated file. */
async function written(): Promise<string> {
  const root = await project();
  mkdirSync(join(root, 'audit'));
  const line = (ago: number, more: object) =>
    `${JSON.stringify({
      record_id: `r-${ago}`,
      timestamp: new Date(Date.now() - ago * 3_600_000).toISOString(),
      operation_type: 'tool',
      operation_name: 'hello',
      operation_status: 'success',
      duration_ms: 3,
      user_id: 'u-1',
      policy_decision: 'n/a',
      ...more,
    })}\n`;
  writeFileSync(
    join(root, LOG),
    line(1, {}) +
      line(2, { operation_name: '\u001b[31mred', operation_status: 'error', error_message: 'two\nlines' }) +
      line(48, {
        operation_type: 'prompt',
        policy_decision: 'deny',
        operation_status: 'error',
        user_id: 'u-2',
      }) +
      'torn {"a":\n',
  );
  writeFileSync(
    join(root, 'audit/logs-default-20200101T000000000Z-0000abcd.jsonl'),
    line(60_000, {}) + line(60_001, {}),
  );
  return root;
}

describe('svc log', () => {
  it('shows records newest first, as a table that no client can paint', { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await svc(['log', '--limit', '3'], await written());
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^time \(UTC\) +type +name +status +policy +ms +user/);
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/ tool +hello +success +n\/a +3 +u-1/);
    expect(lines[2]).toMatch(/ \[31mred +error .* two lines$/);
    expect(lines[3]).toMatch(/ prompt .* deny .* u-2/);
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toMatch(/Only the newest 3 of 5/);
    expect(stderr).toMatch(/1 line could not be read/);
  });

  // Requirements: command.log
  it.each([
    [['--since', '90m'], 1],
    [['--since', '24h'], 2],
    [['--since', '7d'], 3],
    [['--since', '24h', '--until', '90m'], 1],
    [['--until', '2020-01-01'], 0],
  ])('D20: %j finds %i, in Tokyo as in New York', { timeout: 60_000 }, async (options, many) => {
    const root = await written();
    for (const TZ of ['Asia/Tokyo', 'America/New_York']) {
      const { stdout } = await svc(['log', '--json', ...options], root, { TZ });
      expect(JSON.parse(stdout)).toMatchObject({ count: many, total: many });
    }
  });

  // Requirements: command.log
  it.each([
    [['--tool', 'hello'], 3],
    [['--tool', "hello' OR '1'='1"], 0],
    [['--prompt', 'hello'], 1],
    [['--resource', 'hello'], 0],
    [['--type', 'tool', '--status', 'error'], 1],
    [['--policy', 'deny'], 1],
    [['--policy', 'n/a'], 4],
    [['--user', 'u-2'], 1],
  ])('%j finds %i', { timeout: 60_000 }, async (options, many) => {
    const { stdout } = await svc(['log', '--json', ...options], await written());
    expect(JSON.parse(stdout)).toMatchObject({ count: many, total: many });
  });

  it('has figures, and bars of calls', { timeout: 60_000 }, async () => {
    const root = await written();
    const { stdout } = await svc(['log', '--stats', '--json', '--since', '7d'], root);
    expect(JSON.parse(stdout)).toMatchObject({
      total_records: 3,
      by_type: { tool: 2, resource: 0, prompt: 1 },
      by_status: { success: 1, error: 2 },
      by_policy: { allow: 0, deny: 1, 'n/a': 2 },
      foreign: 1,
    });
    const text = (await svc(['log', '--stats'], root)).stdout;
    expect(text).toMatch(/^5 records from /);
    expect(text).toMatch(/tool hello +█+ +3/);
    expect(text).toMatch(/prompt hello +▒+ +1 +100 % errors +100 % denied/);
    expect((await svc(['log', '--stats', '--until', '1999-01-01'], root)).stdout).toBe('no records\n');
  });

  // Requirements: command.log
  it('exports all that match, into a folder that it makes', { timeout: 60_000 }, async () => {
    const root = await written();
    const { stdout } = await svc(
      ['log', '--export-duckdb', 'x.duckdb', '--export-csv', 'exports/2026/x.csv', '--tool', 'hello'],
      root,
    );
    expect(stdout).toMatch(/3 records written to .*x\.csv\n3 records written to .*x\.duckdb/);
    expect(readFileSync(join(root, 'exports/2026/x.csv'), 'utf8').trim().split('\r\n')).toHaveLength(4);
    const scratch = await openScratch();
    await scratch.rows(`ATTACH '${join(root, 'x.duckdb')}' AS x (READ_ONLY)`);
    expect(await scratch.rows('SELECT count(*)::INT FROM x.logs')).toEqual([[3]]);
    scratch.close();
  });

  it('exports to its standard output, which gets the records alone', { timeout: 60_000 }, async () => {
    const root = await written();
    const command = '"$0" "$1" log --export-csv /dev/stdout --tool hello | cat';
    const ended = spawnSync('bash', ['-c', command, process.execPath, resolve('cli/svc.js')], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(ended.stderr).toContain('3 records written to /dev/stdout');
    expect(ended.stdout.trim().split('\r\n')).toHaveLength(4);
    expect(ended.stdout).not.toContain('written to');
  });

  it('names a folder that stands in the place of a file', { timeout: 60_000 }, async () => {
    const root = await written();
    for (const [option, example] of [
      ['--export-csv', 'audit/logs.csv'],
      ['--export-duckdb', 'audit/logs.duckdb'],
    ] as const) {
      const { code, stdout, stderr } = await svc(['log', option, 'audit'], root);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`${option} audit: this is a folder. Name a file in it, such as ${example}.`);
    }
    const site = readFileSync(join(root, 'svc-site.yml'), 'utf8');
    writeFileSync(
      join(root, 'svc-site.yml'),
      site.replace(/( {2}default:\n)/, '$1    audit: { enabled: true, path: audit }\n'),
    );
    const { code, stderr } = await svc(['log'], root);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'The audit path audit is a folder. Name a file in it under `profiles.default.audit.path`',
    );
  });

  it('does not write an export over the records', { timeout: 60_000 }, async () => {
    const root = await written();
    const before = readFileSync(join(root, LOG), 'utf8');
    for (const option of ['--export-csv', '--export-duckdb']) {
      const { code, stderr } = await svc(['log', option, LOG], root);
      expect(code).toBe(2);
      expect(stderr).toMatch(/logs-default\.jsonl is a file of the audit log/);
    }
    expect(readFileSync(join(root, LOG), 'utf8')).toBe(before);
  });

  it('tells a log that is not there from one without such records', { timeout: 60_000 }, async () => {
    const root = await project();
    const off = await svc(['log'], root);
    expect(off).toMatchObject({ code: 0, stdout: 'no records\n' });
    expect(off.stderr).toMatch(/There is no audit log .*audit\.enabled: true/);
    expect((await svc(['log', '--json'], root)).stdout).toBe(
      '{"count":0,"total":0,"foreign":0,"records":[]}\n',
    );
    expect(existsSync(join(root, 'audit'))).toBe(false);
  });

  it.each([
    [['--since', 'yesterday'], /--since yesterday is not a time/],
    [['--status', 'sucess'], /Did you mean success\?/],
    [['--policy', 'warn'], /Choose allow, deny, n\/a/],
    [['--tool', 'a', '--prompt', 'b'], /--tool and --prompt exclude each other/],
    [['--tool', 'a', '--type', 'prompt'], /exclude each other/],
    [['--since', '2026-08-07', '--until', '2026-08-01'], /--since is after --until/],
    [['--limit', '0'], /not a whole number/],
    [['--export-csv', 'x', '--limit', '5'], /Leave out --limit/],
  ])('refuses %j', { timeout: 60_000 }, async (options, message) => {
    const { code, stderr } = await svc(['log', ...options], await project());
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('needs a project', { timeout: 60_000 }, async () => {
    expect((await svc(['log'], folder())).code).toBe(1);
  });
});

describe('svc log-cleanup', () => {
  it('says first, with the same figures, what it then does', { timeout: 60_000 }, async () => {
    const root = await written();
    const names = () => readdirSync(join(root, 'audit')).toSorted();
    const before = names();
    const { files, ...dry } = JSON.parse((await svc(['log-cleanup', '--dry-run', '--json'], root)).stdout);
    expect(dry).toMatchObject({ status: 'dry_run', records: 2 });
    expect(files).toHaveLength(1);
    expect(names()).toEqual(before);
    expect((await svc(['log-cleanup', '--older-than', '1000000d'], root)).stdout).toMatch(/nothing is older/);
    expect((await svc(['log-cleanup'], root)).stdout).toMatch(/^deleted 1 file with 2 records/);
    expect(names()).toEqual(['logs-default.jsonl']);
    expect((await svc(['log-cleanup', '--older-than', 'soon'], root)).code).toBe(2);
  });
});
