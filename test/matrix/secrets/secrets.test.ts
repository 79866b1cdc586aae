import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { unzipSync } from 'fflate';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startReceiver } from '../../unit/adapters/otel/receiver.ts';
import { type Message, runCommand, SERVE, SERVED, type Told } from './platforms.ts';
import { createSecretProject, leaksIn, PLANTED } from './project.ts';

/* Planted secrets, and every way out of a server: none of them carries one. Each way must have said something. */

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 300_000 });

const call = (name: string, args: object): Message => ({
  method: 'tools/call',
  params: { name, arguments: args },
});
const pin = { pin: PLANTED.argument };

/** Calls whose failures and reports quote what is secret, each with a text that its line of the log has. */
const CALLS: readonly (readonly [call: Message, logged: RegExp])[] = [
  [call('cast', pin), /cast failed: .*Could not convert/],
  [call('condition', pin), /condition could not be evaluated/],
  [call('digits', pin), /digits failed: /],
  [call('nested', { data: { pin: PLANTED.nested } }), /nested failed: .*Could not convert/],
  [
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'completed' }, argument: { name: 'pin', value: pin.pin } },
    },
    /completion\/complete completed failed: .*Could not convert/,
  ],
  [call('raises', pin), /raises failed: .*ValueError: raised/],
  [call('queries', pin), /queries failed: .*Could not convert/],
  [call('queries_pin', pin), /queries_pin failed: .*Could not convert/],
  [call('tells', pin), /told\.py: printed/],
  [call('refuses', pin), /refuses failed: refused/],
  [call('handles', pin), /told\.py: KeyError: .*handled/],
];

/** Calls that succeed. */
const ANSWERED = [call('returned', pin), call('tells', pin), call('gives', pin), call('counts', {})];

/** Answers the form of a tool. */
async function answerForm(told: Told): Promise<string> {
  const asked = await told.send(call('asked', {}));
  const requestState = /"requestState":"([^"]+)"/.exec(asked)?.[1];
  const form = { action: 'accept', content: { code: PLANTED.answer } };
  const params = { ...call('asked', {}).params, inputResponses: { form }, requestState };
  return asked + (await told.send({ method: 'tools/call', params }));
}

/** The origins of the secrets in each text; texts without any are left out. */
function leaksOf(ways: Readonly<Record<string, string>>) {
  const found = Object.entries(ways).map(([way, text]) => [way, leaksIn(text)] as const);
  return Object.fromEntries(found.filter(([, leaks]) => leaks.length > 0));
}

describe.each(SERVED)('$name', ({ project: options, start }) => {
  // Requirements: privacy.credentials
  test('no secret is in the log, an answer, a notification, a record, a span or a metric', async () => {
    const project = await createSecretProject(options);
    onTestFinished(() => rm(project.root, { recursive: true }));
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const env = { SVC_TELEMETRY_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    const told = await start(project, env);
    onTestFinished(() => told.stop());

    const ways: Record<string, string> = {};
    for (const [message] of CALLS) {
      const name = String(message.params.name ?? message.method);
      ways[`answer of ${name}`] = await told.send(message);
    }
    ways['answer of asked'] = await answerForm(told);
    for (const message of ANSWERED) {
      const answer = await told.send(message);
      expect(answer).toContain('kept');
      // The author returns these values to the caller on purpose.
      if (message.params.name === 'tells') ways.notifications = answer;
    }
    await vi.waitFor(() => {
      expect(
        [/asked failed: .*Could not convert/, ...CALLS.map(([, logged]) => logged)].filter(
          (text) => !text.test(told.log()),
        ),
      ).toEqual([]);
      expect(told.audit().includes('"gives"')).toBe(true);
    }, 10_000);
    await told.stop();
    Object.assign(ways, { log: told.log(), audit: told.audit(), telemetry: receiver.bytes() });

    expect(ways.notifications).toMatch(/noticed \[REDACTED\]/);
    expect(ways.notifications).toMatch(/progressed \[REDACTED\]/);
    expect(ways.audit).toContain('"target":"at [REDACTED]"');
    expect(ways.telemetry).toContain('svc.python.execute');
    expect(ways.telemetry).toContain('svc.endpoint.requests_total');
    if (told.crash !== undefined) {
      const crashing = await start(project, env);
      await crashing.send(call('returned', pin));
      await crashing.crash?.();
      ways.crash = crashing.log();
      expect(ways.crash).toContain('crashed on [REDACTED]');
    }
    expect(leaksOf(ways)).toEqual({});
  });
});

const ADMIN = [
  '/',
  '/status',
  '/config',
  '/endpoints',
  '/activity',
  '/audit/query',
  '/audit/stats',
  '/openapi.json',
];

// Requirements: admin./config
test('no secret is in what the commands, the admin API and its pages say and write', async () => {
  const project = await createSecretProject();
  const { root } = project;
  onTestFinished(() => rm(root, { recursive: true }));
  const socket = join(root, 'admin.sock');
  const admin = { SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: socket };
  const told = await SERVE.start(project, admin);
  onTestFinished(() => told.stop());
  for (const message of [...CALLS.map(([one]) => one), ...ANSWERED]) await told.send(message);
  const ways: Record<string, string> = {};
  for (const path of ADMIN) ways[`admin ${path}`] = await fromSocket(socket, path);
  const { url = '' } = told;
  const commands: Readonly<Record<string, RegExp>> = {
    'log --limit 50': /gives/,
    'log --json': /"gives"/,
    'log --export-csv out.csv': /out\.csv/,
    'log --export-duckdb out.duckdb': /out\.duckdb/,
    [`replay audit/records.jsonl --against ${url}`]: /counts.*differ|1 calls? replayed/s,
    'doctor --debug': /python/i,
    'config --debug': /REDACTED/,
    'config --json': /REDACTED/,
    'validate --debug': /endpoints/,
    'list --debug': /returned/,
    'run tool raises --param pin=unplanted --debug': /ValueError: raised/,
    'run tool tells --param pin=unplanted --debug': /printed/,
    'build --target node --public --config user.yml --allow lint --debug': /index\.js/,
    'build --target aws-lambda --public --config user.yml --allow lint --json': /"status":"ok"/,
  };
  for (const [command, said] of Object.entries(commands)) {
    const output = await runCommand(project, command.split(' '));
    expect(output, command).toMatch(said);
    ways[command] = output;
  }
  await told.stop();
  const written = filesUnder(root).filter(([path]) => !GIVEN.includes(path));
  expect(written.map(([path]) => path)).toEqual(expect.arrayContaining(['out.csv', 'out.duckdb']));
  expect(written.map(([path]) => path).filter((path) => path.includes('.zip > '))).not.toEqual([]);
  expect(leaksOf({ ...ways, ...Object.fromEntries(written) })).toEqual({});
  expect(Object.entries(ways).filter(([, text]) => text === '')).toEqual([]);
});

/** The one file in which the test itself wrote a secret. */
const GIVEN = ['key.txt'];

/** Every file of a folder by its path, also those in packages. */
function filesUnder(root: string): readonly (readonly [path: string, text: string])[] {
  return readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    if (isEngine(path)) return [];
    const own = [relative(root, path), bytes.toString('latin1')] as const;
    if (!path.endsWith('.zip')) return [own];
    const packed = Object.entries(unzipSync(bytes, { filter: ({ name }) => !isEngine(name) }));
    return [
      own,
      ...packed.map(([name, part]) => [`${own[0]} > ${name}`, Buffer.from(part).toString('latin1')] as const),
    ];
  });
}

/** DuckDB and Python are copied as they are, and each has more text than all other files. */
function isEngine(path: string): boolean {
  return path.endsWith('.wasm');
}

async function fromSocket(socketPath: string, path: string): Promise<string> {
  const asked = request({ socketPath, path, headers: { accept: 'text/html, application/json' } }).end();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  return response === undefined ? '' : text(response);
}
