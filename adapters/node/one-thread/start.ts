import { type Manifest, parseManifest } from '../../../src/catalog/manifest.ts';
import { preloadSchemas } from '../../../src/mcp/preload.ts';
import { jsonLine } from '../../../src/one-line.ts';
import type { Log } from '../../../src/ports.ts';
import { type ArtefactPlatform, type ArtefactServer, createArtefactServer } from '../../artefact/server.ts';
import { artefactFiles } from '../artefact-files.ts';
import { openJwe } from '../auth/open-jwe.ts';
import { createFetchDocument } from '../http/fetch-document.ts';
import { createRequestLog } from '../http/request-log.ts';
import { loadStartSettings } from '../start-settings.ts';
import { openBundledDatabase } from './bundled-database.ts';

/** The differences between platforms that have Node's modules and answer in one thread. */
export interface OneThreadOptions {
  /** `import.meta.url` of the entry, beside which the files of the artefact are. */
  readonly entry: string;
  /** Receives the lines of the log. Default: `writeLine`, as JSON. */
  readonly log?: Log;
  readonly python?: ArtefactPlatform['python'];
  readonly openStore?: ArtefactPlatform['auth']['openStore'];
  readonly listens?: ArtefactPlatform['listens'];
}

/** The server of an artefact whose requests are named in the log. */
export interface StartedArtefact extends ArtefactServer {
  readonly manifest: Manifest;
  readonly log: Log;
}

/** Writes one line on standard output. */
export function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Starts the server of an artefact, and opens everything before its first request: on most platforms the start has the
 * whole processor. What fails is logged, and the first request tries again.
 *
 *     const server = await startInOneThread({ entry: import.meta.url });
 */
export async function startInOneThread({
  entry,
  log = ({ level, message, fields }) => writeLine(jsonLine({ level, message, ...fields })),
  python,
  openStore,
  listens,
}: OneThreadOptions): Promise<StartedArtefact> {
  const { pathOf, manifestText, bundled } = artefactFiles(entry);
  const manifest = parseManifest(manifestText);
  const requests = createRequestLog(log, { has: (level) => server.levels.has(level) });
  const server = createArtefactServer({
    manifest,
    bundled,
    env: process.env,
    loadSettings: loadStartSettings,
    log: requests.log,
    write: writeLine,
    openDatabase: (settings) => openBundledDatabase({ manifest, pathOf, settings, log: requests.log }),
    ...(python === undefined ? {} : { python }),
    ...(listens === undefined ? {} : { listens }),
    auth: {
      fetchDocument: createFetchDocument(),
      openJwe,
      ...(openStore === undefined ? {} : { openStore }),
    },
  });
  preloadSchemas();
  await server.warm();
  const { fetch } = requests.around(server);
  return { ...server, fetch, manifest, log: requests.log };
}
