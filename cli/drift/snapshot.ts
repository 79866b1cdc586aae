import { openProjectFiles } from '../../adapters/node/project/project-files.ts';
import { createRuntime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { findEntry } from '../../src/catalog/find.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { mayWrite } from '../../src/catalog/run-sources.ts';
import type { Database } from '../../src/ports.ts';
import type { Endpoint } from '../../src/project/model.ts';
import { type Snapshot, toSnapshot } from '../../src/quality/drift/snapshot.ts';
import { readMacros, readTables } from '../../src/quality/drift/tables.ts';
import { checkStatements } from '../../src/quality/statements.ts';
import type { EndpointReport } from '../../src/quality/test/report.ts';
import { runTests } from '../../src/quality/test/run.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { CommandInput } from '../command.ts';
import { createLog } from '../io/log.ts';
import type { Output } from '../io/output.ts';
import { lazyPython, openBeside } from '../project/open.ts';
import { type CheckedProject, databaseOf, refuseErrors, siteOf } from '../project/project.ts';
import { settingsOf } from '../project/settings.ts';

/** Records the project and its database, opened read-only: tables, endpoints and test outcomes. */
export async function takeSnapshot(
  input: CommandInput,
  checked: CheckedProject,
  output: Output,
): Promise<Snapshot> {
  siteOf(checked);
  refuseErrors(checked);
  const { project } = checked;
  const catalog = await compileCatalog(project);
  const settings = await settingsOf(input, checked);
  const choice = { ...databaseOf(checked), secrets: settings.secrets, readonly: true };
  const database = await openBeside(project.root, choice, { output, writes: 'refused' });
  try {
    const { signal } = new AbortController();
    const tables = await readTables(database, signal);
    const macros = await readMacros(database, signal);
    const reading = readersOf(checked, catalog);
    const findings = await output.progress('checking SQL', (say) =>
      checkStatements(reading.filter(isSourced), catalog, database, {
        platform: null,
        engine: database.engine,
        onEndpoint: say,
      }),
    );
    const reports = await testAll(reading, { checked, catalog, database, settings }, output);
    const modules = await readModules(checked);
    return toSnapshot({ project, catalog, tables, macros, reports, findings, modules });
  } finally {
    await database.close();
  }
}

/**
 * The enabled endpoints that do not write. A snapshot must change nothing, so tools that write are left out, and prompts
 * that may embed a resource that writes.
 */
export function readersOf({ project }: CheckedProject, catalog: Catalog): readonly Endpoint[] {
  const endpoints = project.endpoints.flatMap(({ endpoint }) => (endpoint?.enabled ? [endpoint] : []));
  return endpoints.filter((endpoint) => {
    const { kind, name } = endpoint;
    const entry = findEntry(catalog, kind, kind === 'resource' ? endpoint.uri : name);
    return entry === undefined || !mayWrite(entry, catalog);
  });
}

/** Whether an endpoint has code; prompts have none. */
export function isSourced(endpoint: Endpoint): endpoint is Exclude<Endpoint, { readonly kind: 'prompt' }> {
  return endpoint.kind !== 'prompt';
}

interface Tested {
  readonly checked: CheckedProject;
  readonly catalog: Catalog;
  readonly database: Database;
  readonly settings: Settings;
}

async function testAll(
  endpoints: readonly Endpoint[],
  { checked, catalog, database, settings }: Tested,
  output: Output,
): Promise<readonly EndpointReport[]> {
  const log = createLog(output);
  const open = async () => database;
  const python = lazyPython(checked, { settings: () => settings, database: open, log });
  const runtime = createRuntime({ catalog, open, openPython: () => python.open(), log });
  const { signal } = new AbortController();
  try {
    return await output.progress('testing', async (say) => {
      const onTest = (endpoint: string, test: string) => say(`${endpoint}: ${test}`);
      const reports: EndpointReport[] = [];
      for (const endpoint of endpoints) {
        reports.push(await runTests(endpoint, { runtime, user: null, signal, onTest }));
      }
      return reports;
    });
  } finally {
    await python.close();
  }
}

/** Reads the Python modules that endpoints may import. The files of endpoints are in the project already. */
export async function readModules({ project }: CheckedProject): Promise<{ readonly [path: string]: string }> {
  const { root, site } = project;
  if (site === null) return {};
  const files = await openProjectFiles(root);
  const paths = (await files.list(site.paths.python)).filter((path) => path.endsWith('.py'));
  const read = paths.map(async (path) => {
    return [path, new TextDecoder().decode((await files.read(path)) ?? new Uint8Array())] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
