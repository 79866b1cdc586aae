import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type App, type AppOptions, createApp } from '../../src/app.ts';
import { enforceExposure } from '../../src/auth/exposure.ts';
import type { Authenticate } from '../../src/auth/sender.ts';
import { createResultCache } from '../../src/call/cache.ts';
import { createRuntime } from '../../src/call/runtime.ts';
import { checkCatalog } from '../../src/catalog/checks/check.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { SvcError } from '../../src/errors.ts';
import { jsonLine } from '../../src/one-line.ts';
import type { Database, Log } from '../../src/ports.ts';
import { type Finding, preventsServing } from '../../src/project/finding.ts';
import { loadProject } from '../../src/project/load.ts';
import { SITE_NAME } from '../../src/project/site-model.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings/model.ts';
import { concealedLog, createConcealment } from '../../src/settings/references/concealment.ts';
import { secretsOf } from '../../src/settings/secrets.ts';
import { VERSION } from '../../src/version.ts';
import { artefactAddresses } from '../artefact/addresses.ts';
import { needsSignIn, stateSealer } from '../artefact/auth.ts';
import type { OpenAuth } from './auth/auth.ts';
import { chooseDatabase } from './database/database-choice.ts';
import { openNodeDatabase } from './database/open-database.ts';
import { createEmpty, createFromSeed } from './database/seed.ts';
import { openObservers } from './observers.ts';
import { createLazyPython, type SoundSite } from './project/lazy-python.ts';
import { openProjectFiles } from './project/project-files.ts';
import { openNodeSource } from './references/source.ts';
import { findUserFile } from './user-file.ts';

/** The choices of a program that serves a project beside its own routes. */
export interface OpenAppOptions {
  /** The profile of svc-site.yml. Default: SVC_PROFILE, then the file's own. */
  readonly profile?: string;
  /** Identifies the user in place of the `auth` block of the user file. */
  readonly authenticate?: Authenticate;
  /** Whether everybody may call an app without sign-in. */
  readonly public?: boolean;
  /** Default: one JSON object a line on stderr. */
  readonly log?: Log;
}

/** A project as a web-standard handler. */
export interface OpenedApp extends App {
  close(): Promise<void>;
}

/**
 * Opens the project in a folder, with its database and its settings, as a handler for a server of your own. Throws
 * `project_invalid`, `config_invalid` and `database_unavailable`, as `svc serve` does.
 *
 *     const svc = await openApp('shop', { authenticate });
 *     server.all('/mcp', ({ req }) => svc.fetch(req.raw));
 */
export async function openApp(folder: string, options: OpenAppOptions = {}): Promise<OpenedApp> {
  const { catalog, ...sound } = await compile(resolve(folder), options);
  const settings = await settingsOf(sound);
  const concealment = createConcealment();
  const { add, conceal } = concealment;
  add(secretsOf(settings));
  const log = concealedLog(options.log ?? logToStderr, concealment);
  enforceCallers(settings, catalog, options);
  const { stateless } = settings.transport.http;
  const auth = await openAuth(settings, catalog, { ...options, log });
  const observers = await openObservers(() => settings, { log, root: sound.root, conceal }).catch(
    closing(() => auth?.close()),
  );
  const closeRest = () => Promise.all([observers.close(), auth?.close()]);
  const database = await openDatabase(sound, settings, { stateless, log }).catch(closing(closeRest));
  const python = createLazyPython(sound, { settings: () => settings, database: async () => database, log });
  const runtime = createRuntime({
    catalog,
    open: async () => database,
    openPython: python.open,
    log,
    cache: createResultCache(),
    ...observers.parts,
  });
  const sealer = stateSealer(settings, process.env);
  const app = createApp({
    runtime: () => runtime,
    version: VERSION,
    stateless,
    sealer,
    log,
    ...reachOf(settings, options),
    ...(auth === null ? {} : { auth: auth.auth }),
    ...(options.authenticate === undefined ? {} : { authenticate: options.authenticate }),
  });
  return {
    fetch: app.fetch,
    close: async () => {
      app.close?.();
      await python.close();
      await database.close();
      // Observers receive the calls that ended with the database before they are closed themselves.
      await nextTurn();
      await closeRest();
    },
  };
}

/** Returns a handler that closes the opened parts after a failure, and throws the failure again. */
function closing(close: () => Promise<unknown> | undefined): (thrown: unknown) => Promise<never> {
  return async (thrown) => {
    await close();
    throw thrown;
  };
}

/** Loads, checks and compiles the project. An error in any file refuses all of it. */
async function compile(root: string, { profile }: OpenAppOptions): Promise<SoundSite & { catalog: Catalog }> {
  const asked = profile ?? (process.env.SVC_PROFILE || undefined);
  const project = await loadProject(await openProjectFiles(root), root, asked);
  const findings = [...project.findings, ...(await checkCatalog(project))].filter(preventsServing);
  if (findings.length > 0 || project.site === null) throw new SvcError('project_invalid', textOf(findings));
  return { root, site: project.site, catalog: await compileCatalog({ ...project, findings: [] }) };
}

async function settingsOf({ root, site }: SoundSite): Promise<Settings> {
  const { env } = process;
  const { settings, findings } = await loadSettings({
    site,
    siteFile: { name: SITE_NAME, text: await readFile(join(root, SITE_NAME), 'utf8') },
    userFile: await findUserFile(env),
    env,
    flags: [],
    openSource: (connections) => openNodeSource(connections, env),
  });
  if (settings !== null) return settings;
  throw new SvcError('config_invalid', textOf(findings.filter(({ severity }) => severity === 'error')));
}

function textOf(findings: readonly Finding[]): string {
  return findings
    .map(({ file, line, column, message, fix }) => `${file}:${line}:${column}: ${message}\n  fix: ${fix}`)
    .join('\n');
}

/** Throws `config_invalid` for a project that everybody could call, unless somebody said so. */
function enforceCallers(settings: Settings, catalog: Catalog, options: OpenAppOptions): void {
  const signIn = hasSignIn(settings, options) ? 'sign-in' : null;
  const said = options.public === true || settings.auth.public;
  enforceExposure({ catalog, signIn, public: said }, { place: 'The project would be served', fix: FIX });
}

const FIX =
  'Pass `authenticate`, or set the `auth` block of the user file. If everybody may call it, pass `public: true`.';

function hasSignIn(settings: Settings, { authenticate }: OpenAppOptions): boolean {
  return authenticate !== undefined || needsSignIn(settings);
}

async function openAuth(
  settings: Settings,
  catalog: Catalog,
  { authenticate, log = logToStderr }: OpenAppOptions,
): Promise<OpenAuth | null> {
  if (authenticate !== undefined || !needsSignIn(settings)) return null;
  const { openAuth: open } = await import('./auth/auth.ts');
  return open(settings, catalog, { log, host: null });
}

async function openDatabase(
  { root, site }: SoundSite,
  settings: Settings,
  { stateless, log }: { readonly stateless: boolean; readonly log: Log },
): Promise<Database> {
  const choice = chooseDatabase(root, site, process.env, { stateless, serves: true });
  const seeded = await createFromSeed(root, choice.path);
  if (!seeded && choice.createsEmpty) await createEmpty(choice.path);
  return openNodeDatabase({ ...choice, secrets: settings.secrets, log });
}

/** The host's own server decides under which names it is reached; web pages need a sign-in, or a name in the settings. */
function reachOf(
  settings: Settings,
  options: OpenAppOptions,
): Pick<AppOptions, 'access' | 'rateLimit' | 'publicAddress'> {
  return artefactAddresses(settings, { signIn: hasSignIn(settings, options), listens: null });
}

const logToStderr: Log = ({ level, message, fields }) =>
  void process.stderr.write(`${jsonLine({ level, message, ...fields })}\n`);
