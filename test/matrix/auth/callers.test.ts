import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildTarget } from '../../../deploy/build.ts';
import { startFunction } from '../../../deploy/targets/aws-lambda/preview/function.ts';
import { TARGET_NAMES, type TargetName } from '../../../deploy/targets/targets.ts';
import { generateKey } from '../../../src/crypto/keys.ts';
import { Svc } from '../../unit/cli/svc.ts';
import { type HttpRunning, startInDeno, startNode, startOnVercel } from '../platforms.ts';
import { startWorker } from '../worker.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

type Environment = Record<string, string>;
interface Started {
  readonly url: URL;
  close(): Promise<void>;
}

const KEY = generateKey();
const SECRETS = { PROVIDER_SECRET: 'planted-secret', SVC_AUTH_KEYS: `${KEY.kid}:${KEY.secret}` };
const SIGN_IN = `svc: 1
transport: { http: { base_url: https://mcp.example.com } }
projects:
  callers:
    profiles:
      default:
        auth: { provider: github, github: { client_id: x, client_secret: "\${PROVIDER_SECRET}" } }
`;

const PROJECTS = ['plain', 'scopes', 'sql'] as const;
type ProjectName = (typeof PROJECTS)[number];

const SITE = 'svc: 1\nproject: callers\nprofile: default\n';
const tool = (scopes: string) => `svc: 1
tool:
  name: number
  description: A number
${scopes}  source: { code: SELECT 1 AS n }
`;
const FILES: { readonly [name in ProjectName]: { readonly site: string; readonly tool: string } } = {
  plain: { site: SITE, tool: tool('') },
  scopes: { site: SITE, tool: tool('  scopes: [admin:write]\n') },
  sql: { site: `${SITE}sql_tools: { enabled: true }\n`, tool: tool('') },
};

/** How a server of the page is built and started. */
interface Server {
  /** Absent for `svc serve`. */
  readonly target?: TargetName;
  readonly start: (folder: string, env: Environment, options: readonly string[]) => Promise<Started>;
}

const node = (host: string) => async (folder: string, env: Environment) => {
  const { reach, close } = await startNode(folder, { ...env, HOST: host });
  if (reach.kind !== 'http') throw new Error('the artefact listens on no socket');
  return { url: reach.url, close };
};

const serve =
  (host: string): Server['start'] =>
  async (cwd, env, options) => {
    const args = ['serve', '--port', '0', '--host', host, '--json', ...options];
    const running = new Svc(args, { cwd, env: { ...env, HOME: cwd } });
    const [line] = await running.until(/^\{.*\}\n/m);
    const { url }: { url: string } = JSON.parse(line);
    const close = async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    };
    return { url: new URL(url), close };
  };

const reached = ({ reach, close }: HttpRunning) => ({ url: reach.url, close });
const at = async ({ url, close }: Started) => ({ url: new URL('mcp', url), close });

/** How the artefacts of each platform are started, by their row on the page. A desktop bundle has no address. */
const STARTS: { readonly [target in TargetName]: { readonly [row: string]: Server['start'] } } = {
  node: {
    'Node artefact, this machine': node('127.0.0.1'),
    'Node artefact, other machines': node('0.0.0.0'),
  },
  'aws-lambda': {
    'Lambda, Function URL': async (folder, environment) =>
      at(await startFunction(join(folder, 'function.zip'), { gateway: 'function-url', environment })),
  },
  'cloudflare-workers': { Worker: async (folder, env) => at(await startWorker(folder, env)) },
  vercel: { Vercel: async (folder, env) => reached(await startOnVercel(folder, env)) },
  deno: { Deno: async (folder, env) => reached(await startInDeno(folder, env)) },
  mcpb: {},
};

const SERVERS: Readonly<Record<string, Server>> = {
  '`svc serve`, this machine': { start: serve('127.0.0.1') },
  '`svc serve`, other machines': { start: serve('0.0.0.0') },
  ...Object.fromEntries(
    TARGET_NAMES.flatMap((target) =>
      Object.entries(STARTS[target]).map(([row, start]) => [row, { target, start }]),
    ),
  ),
};

const OWN = { 'not built in': { signIn: 'sign-in with GitHub', public: false } };

type Outcome = 'starts' | 'asks for a token' | 'no start' | 'no build' | `answers ${number}`;

let out: string;
const rootOf = (project: ProjectName) => join(out, project);

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'svc-callers-'));
  for (const project of PROJECTS) {
    const root = rootOf(project);
    await mkdir(join(root, 'tools'), { recursive: true });
    await writeFile(join(root, 'svc-site.yml'), FILES[project].site);
    await writeFile(join(root, 'seed.sql'), 'CREATE TABLE numbers AS SELECT 1 AS n;\n');
    await writeFile(join(root, 'tools/number.yml'), FILES[project].tool);
    await writeFile(join(root, 'user.yml'), SIGN_IN);
    // The first command creates the database.
    spawnSync(process.execPath, [resolve('cli/svc.js'), 'run', 'tool', 'number'], {
      cwd: root,
      env: { HOME: root },
    });
  }
});
afterAll(async () => {
  await rm(out, { recursive: true });
});

interface Cell {
  readonly signIn: string;
  readonly server: Server;
  readonly project: ProjectName;
  readonly isPublic: boolean;
}

/** Builds and starts a server, and asks it for its tools without a token. */
async function outcomeOf({ signIn, server, project, isPublic }: Cell): Promise<Outcome> {
  const builtIn = signIn === 'built in';
  const folder = await built({ signIn, server, project, isPublic });
  if (folder === null) return 'no build';
  const own = server.target === undefined && builtIn ? { SVC_CONFIG: join(folder, 'user.yml') } : {};
  const env: Environment = builtIn ? { ...SECRETS, ...own } : {};
  const started = await server.start(folder, env, isPublic ? ['--public'] : []).catch(() => null);
  if (started === null) return 'no start';
  // The next server opens the same database.
  return answerOf(started.url).finally(started.close);
}

/** Builds by the name of their folder: two servers start the same artefact. */
const builds = new Map<string, Promise<string | null>>();

/** The folder to start in; null if the build refuses, with a fix in the error. */
async function built({ signIn, server: { target }, project, isPublic }: Cell): Promise<string | null> {
  const root = rootOf(project);
  if (target === undefined) return root;
  const folder = join(root, 'build', `${target}-${signIn.replaceAll(' ', '-')}-${isPublic}`);
  const building = builds.get(folder) ?? build({ root, target, folder, signIn, isPublic });
  builds.set(folder, building);
  return building;
}

interface Build extends Pick<Cell, 'signIn' | 'isPublic'> {
  readonly root: string;
  readonly target: TargetName;
  readonly folder: string;
}

async function build({ root, target, folder, signIn, isPublic }: Build): Promise<string | null> {
  const config = signIn === 'built in' ? { config: 'user.yml' } : {};
  const own = signIn === 'not built in' ? { own: OWN[signIn] } : {};
  const options = { root, target, out: folder, public: isPublic, ...config, ...own };
  const refused = await buildTarget(options).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (refused === null) return folder;
  expect(refused).toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/without sign-in|has sign-in with GitHub/),
  });
  expect(refused).toMatchObject({ message: expect.stringMatching(/`--config <file>`[\s\S]*`--public`/) });
  return null;
}

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function answerOf(url: URL): Promise<Outcome> {
  const { status } = await fetch(url, { method: 'POST', headers: HEADERS, body: LIST });
  return status === 200 ? 'starts' : status === 401 ? 'asks for a token' : `answers ${status}`;
}

/** The table at the beginning of the page. */
const page = await readFile(new URL('../../../docs/how-to/deploy.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| (none|built in|not built in) \|/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test('the page has a row for each sign-in and server', () => {
  const named = rows.map(([signIn, server]) => `${signIn}: ${server}`);
  const all = ['none', 'built in', 'not built in'].flatMap((signIn) =>
    Object.entries(SERVERS)
      // `svc serve` has every provider built in.
      .filter(([, { target }]) => signIn !== 'not built in' || target !== undefined)
      .map(([server]) => `${signIn}: ${server}`),
  );
  expect(named).toEqual(all);
});

describe.each(rows)('sign-in %s: %s', (signIn = '', name = '', ...cells) => {
  const server = SERVERS[name];
  const [plain, scopes, sql, everybody] = cells;
  const expected = { plain, scopes, sql };

  // With sign-in built in, all projects ask for a token; `svc serve` and Node show that.
  const projects = PROJECTS.filter(
    (project) => project === 'sql' || signIn !== 'built in' || [undefined, 'node'].includes(server?.target),
  );
  test.each(PROJECTS.filter((project) => !projects.includes(project)))('%s, as the page says', (project) => {
    expect(expected[project]).toBe(sql);
  });

  test.each(projects)('%s', async (project) => {
    if (server === undefined) throw new Error(`the page names an unknown server: ${name}`);
    expect(await outcomeOf({ signIn, server, project, isPublic: false })).toBe(expected[project]);
  });

  // A build takes seconds, and this project is the one that most servers refuse.
  test('sql, for everybody', async () => {
    if (server === undefined) throw new Error(`the page names an unknown server: ${name}`);
    expect(await outcomeOf({ signIn, server, project: 'sql', isPublic: true })).toBe(everybody);
  });
});

const ARTEFACTS = Object.entries(SERVERS).flatMap(([name, { target, start }]) =>
  target === undefined || name.endsWith('this machine') ? [] : [{ name, target, start }],
);

/** Starts an artefact and returns its refusal. */
async function statusOf(starting: Promise<Started>): Promise<Outcome> {
  const started = await starting.catch(() => null);
  if (started === null) return 'no start';
  onTestFinished(started.close);
  return answerOf(started.url);
}

describe.each(ARTEFACTS)('$name', ({ target, start }) => {
  const refused = target === 'node' ? 'no start' : 'answers 503';

  test('an artefact of svc preview does not serve other machines, unless SVC_PUBLIC says so', async () => {
    const root = rootOf('sql');
    const { out: folder } = await buildTarget({
      root,
      target,
      out: join(root, `build/${target}-preview`),
      local: true,
    });
    expect(await statusOf(start(folder, {}, []))).toBe(refused);
    expect(await statusOf(start(folder, { SVC_PUBLIC: 'true' }, []))).toBe('starts');
  });

  // Requirements: own.closed
  test('an artefact that was built with sign-in does not serve without its settings', async () => {
    const root = rootOf('plain');
    const options = { root, target, out: join(root, `build/${target}-lost`), config: 'user.yml' };
    const { out: folder } = await buildTarget(options);
    const without = { ...SECRETS, SVC_CONFIG_YAML: 'svc: 1\n', SVC_PUBLIC: 'true' };
    expect(await statusOf(start(folder, without, []))).toBe(refused);
    expect(await statusOf(start(folder, SECRETS, []))).toBe('asks for a token');
  });
});
