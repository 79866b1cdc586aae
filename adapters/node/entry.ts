import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApp } from '../../src/app.ts';
import { createResultCache } from '../../src/call/cache.ts';
import { planAhead } from '../../src/call/plan-ahead.ts';
import { createRuntime, type Runtime } from '../../src/call/runtime.ts';
import { parseManifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import type { Sealer } from '../../src/crypto/seal.ts';
import { ERRORS, SvcError, toSvcError } from '../../src/errors.ts';
import { isLoopback } from '../../src/http/access.ts';
import { jsonLine } from '../../src/one-line.ts';
import type { Log } from '../../src/ports.ts';
import { toListenHost } from '../../src/public-address.ts';
import type { Settings } from '../../src/settings/model.ts';
import { auditSettingsOf, enforceBuiltAudit } from '../artefact/audit.ts';
import { enforceBuiltAccess, needsSignIn, startAuth, stateSealer } from '../artefact/auth.ts';
import { createStartLog } from '../artefact/log.ts';
import { startTelemetry, withTelemetry } from '../artefact/telemetry.ts';
import { openAudit } from '../audit/open.ts';
import { exitSoon, serveStdio } from '../stdio/serve.ts';
import { artefactFiles } from './artefact-files.ts';
import { openJwe } from './auth/open-jwe.ts';
import { openBundledDatabase } from './bundled-database.ts';
import { nodePython } from './bundled-python.ts';
import { concealCrash } from './crash.ts';
import { toAddressOptions, UNCONFIGURED } from './http/addresses.ts';
import { createFetchDocument } from './http/fetch-document.ts';
import { createRequestLog } from './http/request-log.ts';
import { startHttpServer } from './http/server.ts';
import { isNewEnough, OLDEST_NODE } from './oldest-node.ts';
import { Leases } from './reload/leases.ts';
import { loadStartSettings } from './start-settings.ts';
import { outliveHangups, watchSignals } from './stop-signals.ts';

/*
 * The program of the Node artefact: `node index.js`, or `node index.js --stdio` for a client that starts it. A folder after
 * `--stdio` is that of relative paths, because clients start it in a folder of theirs.
 */

interface Serving {
  /** Resolves when no client is left: when a stdio client has closed its end. HTTP never resolves it. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

const { manifestText, bundled, pathOf } = artefactFiles(import.meta.url);
const manifest = parseManifest(manifestText);
const { version } = manifest;
const writeLine = (line: string) => void process.stderr.write(`${line}\n`);
const write: Log = ({ level, message, fields }) => writeLine(jsonLine({ level, message, ...fields }));
const { log: wanted, follow, conceal, levels } = createStartLog(write);
const requests = createRequestLog(wanted, levels);
const { log } = requests;

const TOO_OLD = `This is Node ${process.versions.node}, but the artefact needs Node ${OLDEST_NODE} or newer. Install one from https://nodejs.org.`;

concealCrash(conceal);
const stopped = watchSignals();
outliveHangups(log);
await main().catch(fail);

async function main(): Promise<void> {
  if (!isNewEnough(process.versions.node)) throw new SvcError('usage', TOO_OLD);
  const folder = stdioFolder(process.argv.slice(2));
  const settings = await loadStartSettings({ manifest, bundled, env: process.env });
  follow(settings, process.env);
  enforceBuiltAudit(manifest.audit, process.env);
  const sealer = stateSealer(settings, process.env);
  const catalog = toServedCatalog(manifest);
  const measured = { project: catalog.project, version, env: process.env, log, write: writeLine };
  const telemetry = await startTelemetry(settings, { ...measured, onDemand: false });
  const audited = auditSettingsOf(manifest.audit, process.env);
  const audit = await openAudit(audited, resolve(folder ?? '.'), log, conceal);
  const database = await openBundledDatabase({ manifest, pathOf, settings, log });
  const open = async () => database;
  const python = nodePython({
    manifest,
    entry: import.meta.url,
    first: 'python3',
    settings: () => settings,
    database: open,
    log,
  });
  const unmeasured = createRuntime({
    catalog,
    open,
    log,
    cache: createResultCache(),
    ...audit?.parts,
    ...python.parts,
  });
  const measuring = withTelemetry(unmeasured, telemetry);
  const { take, cutOff } = new Leases({ ...measuring, close: async () => {} }, log);
  const runtime = { ...measuring, lease: take };
  const warmed = Promise.all([planAhead(runtime), python.warm(runtime)]);
  const served = { runtime, sealer, cutOff };
  // We close everything that we opened however the server ends: Python would keep the process alive.
  try {
    const serving = folder === null ? await overHttp(served, settings) : overStdio(served);
    await Promise.race([stopped, serving.ended]);
    await serving.close();
  } finally {
    // Python is closed first, because a file may load for a minute.
    await python.close();
    await warmed;
    await database.close();
    // Observers receive the calls that ended with the database before they are closed themselves.
    await nextTurn();
    await Promise.all([telemetry?.close(), audit?.sink.close()]);
  }
  if (folder !== null) exitSoon();
}

/** The parts that both transports serve. */
interface Served {
  readonly runtime: Runtime;
  readonly sealer: Sealer | null;
  readonly cutOff: () => void;
}

async function overHttp({ runtime, sealer, cutOff }: Served, settings: Settings | null): Promise<Serving> {
  const host = toListenHost(process.env.HOST || '127.0.0.1');
  const http = { port: 0, stateless: true, ...UNCONFIGURED, ...settings?.transport.http, host };
  const configured = settings === null ? null : { ...settings, transport: { ...settings.transport, http } };
  const place = isLoopback(host) ? null : `The artefact would listen on ${host}`;
  enforceBuiltAccess(settings, { manifest, env: process.env, place });
  const signIn = settings !== null && needsSignIn(settings);
  const auth = await startAuth(configured, runtime.catalog, {
    fetchDocument: createFetchDocument(),
    openJwe,
    listens: { host },
    log,
  });
  const app = createApp({
    runtime: () => runtime,
    version,
    stateless: true,
    sealer,
    log,
    ...toAddressOptions(http, { signIn }),
    auth,
  });
  const port = portOf(process.env.PORT || '8000');
  const server = await startHttpServer({
    app: requests.around(app),
    host,
    port,
    chosenBy: { host: 'HOST', port: 'PORT' },
    trustProxy: http.trust_proxy,
    cutOff,
    log,
  });
  write({ level: 'info', message: 'serving', fields: { url: `${server.url}/mcp`, hash: manifest.hash } });
  return { ended: new Promise(() => {}), close: () => server.close() };
}

function overStdio(served: Served): Serving {
  const connection = serveStdio({ ...served, version });
  return { ended: connection.ended, close: () => connection.stop() };
}

/** The folder of relative paths for a client that speaks over stdio; null to serve over HTTP. Throws `usage`. */
function stdioFolder(words: readonly string[]): string | null {
  const [option, folder = '.', ...more] = words;
  if (option === undefined) return null;
  if (option === '--stdio' && more.length === 0 && !folder.startsWith('-')) return folder;
  throw new SvcError(
    'usage',
    `This program takes no arguments but \`--stdio [folder]\`, and got ${words.join(' ')}. Set HOST and PORT in the environment to choose its address.`,
  );
}

function portOf(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new SvcError('usage', `PORT is ${text}, but must be a whole number from 0 to 65535.`);
}

function fail(thrown: unknown): void {
  const { code, message } = toSvcError(thrown);
  log({ level: 'error', message });
  process.exitCode = ERRORS[code].exit;
}
