import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { DatabaseSecret } from '../../adapters/duckdb-native/options.ts';
import type { NativeDatabase } from '../../adapters/duckdb-native/query/database.ts';
import type { Attachment } from '../../src/project/attachment.ts';
import { sendLegacy } from '../legacy-request.ts';
import { type Ended, Svc, svc } from '../unit/cli/svc.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { EXTENSIONS, PASSWORD, type Part, type Postgres, startPostgres, startS3 } from './parts.ts';

/**
 * The extensions: the addresses and the type of secrets that need each. A database loads no others, because DuckDB reads the
 * whole file of each to check its signature.
 */
const EXTENSION_USES = [
  { name: 'httpfs', address: /\bs3:/, secret: 's3' },
  { name: 'ducklake', address: /\bducklake:/, secret: null },
  { name: 'postgres_scanner', address: /\bpostgres:/, secret: 'postgres' },
  { name: 'sqlite_scanner', address: /\bsqlite:/, secret: null },
];

/** A database of a test: the address, and what is not usual about it. */
export type Home = Omit<Attachment, 'name'>;

/** A DuckLake with its catalogue in Postgres and its files in S3, behind a proxy that can fail. */
export const LAKE: Home = {
  uri: 'ducklake:postgres:dbname=postgres',
  data_path: 's3://bucket/lake/',
  secret: 'pg',
};
export const POSTGRES: Home = { uri: 'postgres:dbname=postgres', secret: 'pg' };

/** The secrets that a home needs, and the extensions that it needs with its own secrets. Without a home, all of them. */
function toNeeded(home: Home | null, secrets: readonly DatabaseSecret[], own?: readonly DatabaseSecret[]) {
  const address = home === null ? null : `${home.uri} ${home.data_path}`;
  const used = EXTENSION_USES.filter((one) => address === null || one.address.test(address));
  const needed = own ?? secrets.filter(({ type }) => used.some(({ secret }) => secret === type));
  const extensions = EXTENSION_USES.filter(
    (one) => used.includes(one) || needed.some(({ type }) => type === one.secret),
  );
  return { secrets: needed, extensions: extensions.map(({ name }) => ({ name })) };
}

/** The servers of a test, and the ways to use them. */
export interface Lake {
  readonly root: string;
  readonly postgres: Postgres;
  readonly proxy: FaultyProxy;
  secrets(password?: string): readonly DatabaseSecret[];
  /** Opens a database in memory with a home attached. */
  open(home: Home, secrets?: readonly DatabaseSecret[]): Promise<NativeDatabase>;
  /** Opens a file for writing, with the same extensions and secrets. */
  openFile(path: string): Promise<NativeDatabase>;
  /** Writes a project over a home, or over the database that `profile` names. */
  project(home: Home | null, files: ProjectFiles): WrittenProject;
  stop(): Promise<void>;
}

/** The folder of a project, and the environment of its commands. */
export interface WrittenProject {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The tools of a project by their names, more of its site file, and its secrets if they are not the usual ones. */
export interface ProjectFiles {
  readonly tools: { readonly [name: string]: string };
  readonly site?: object;
  readonly profile?: object;
  /** More of the profile in the user file. */
  readonly user?: object;
  readonly secrets?: readonly DatabaseSecret[];
}

export async function startLake(): Promise<Lake> {
  const root = mkdtempSync(join(tmpdir(), 'svc-lake-'));
  const [postgres, s3]: readonly [Postgres, Part] = await Promise.all([startPostgres(), startS3()]);
  const proxy = await startFaultyProxy(s3.port);
  const secrets = (password = PASSWORD): readonly DatabaseSecret[] => [
    {
      name: 'pg',
      type: 'postgres',
      parameters: { host: '127.0.0.1', port: postgres.port, user: 'svc', password },
    },
    {
      name: 'store',
      type: 's3',
      parameters: {
        key_id: 'planted-key',
        secret: 'planted-secret',
        endpoint: `127.0.0.1:${proxy.port}`,
        url_style: 'path',
        use_ssl: false,
        region: 'us-east-1',
      },
    },
  ];
  let projects = 0;
  const usual = {
    external: true,
    extensionDirectory: EXTENSIONS,
    root,
  };
  return {
    root,
    postgres,
    proxy,
    secrets,
    open: (home, own) =>
      openNative({
        ...usual,
        ...toNeeded(home, secrets(), own),
        path: ':memory:',
        readonly: home.readonly !== false,
        attach: [{ name: 'lake', ...home }],
        use: 'lake',
      }),
    openFile: (path) => openNative({ ...usual, ...toNeeded(null, secrets()), path, readonly: false }),
    project: (home, { tools, site = {}, profile = {}, user: more = {}, secrets: own }) => {
      const needed = toNeeded(home, secrets(), own);
      projects += 1;
      const cwd = join(root, `project-${projects}`);
      mkdirSync(join(cwd, 'tools'), { recursive: true });
      for (const [name, text] of Object.entries(tools)) writeFileSync(join(cwd, `tools/${name}.yml`), text);
      const attached = { path: ':memory:', attach: [{ name: 'lake', ...home }], use: 'lake' };
      const profiles = { default: { ...(home === null ? {} : { database: attached }), ...profile } };
      const all = {
        svc: 1,
        project: 'shop',
        profile: 'default',
        extensions: needed.extensions,
        profiles,
        ...site,
      };
      writeFileSync(join(cwd, 'svc-site.yml'), JSON.stringify(all));
      const user = {
        svc: 1,
        projects: { shop: { profiles: { default: { ...more, secrets: needed.secrets } } } },
      };
      const config = join(cwd, 'user.yml');
      writeFileSync(config, JSON.stringify(user));
      return { cwd, env: { SVC_EXTENSION_DIRECTORY: EXTENSIONS, SVC_CONFIG: config } };
    },
    stop: async () => {
      await Promise.all([postgres.stop(), s3.stop(), proxy.stop()]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Runs a command of a project; throws unless it ends with 0 and its texts are free of credentials. */
export async function runs({ cwd, env }: WrittenProject, ...args: readonly string[]): Promise<Ended> {
  const ended = await svc(args, cwd, env);
  const text = `${args.join(' ')}: ${ended.stdout}${ended.stderr}`;
  if (ended.code !== 0 || text.includes('planted')) throw new Error(text);
  return ended;
}

/** A server whose log is all on stderr. */
export async function serve({ cwd, env }: WrittenProject, more: Record<string, string> = {}) {
  const server = new Svc(['serve', '--port', '0', '--json'], {
    cwd,
    env: { ...env, ...more, SVC_DEBUG: '1' },
  });
  const { url } = JSON.parse((await server.until(/^\{.*"url".*\}$/m))[0]);
  const call = (name = 'total', args = {}) => send(url, 'tools/call', { name, arguments: args });
  return { server, url: String(url), call };
}

/** Sends one message to a server; rejects if the connection ends. */
export async function send(url: string, method: string, params: object): Promise<string> {
  return (await sendLegacy(url, method, params)).text();
}
