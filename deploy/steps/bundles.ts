import type { Manifest } from '../../src/catalog/manifest.ts';
import type { AnyEntry } from '../../src/catalog/model.ts';
import { type Bundles, bundle, type Included } from '../bundle.ts';
import { configNeedsSignIn, namesTelemetry } from '../bundled-user-file.ts';
import { type BuildTarget, ENGINE_PROCESS } from '../targets/target.ts';
import type { Ready } from './read-project.ts';

/** The process that runs callers' statements; `process/open.ts` expects it beside the program. */
const ENGINE_ENTRY = 'duckdb-native/process/engine-process';

/** Bundles the programs of a platform, with those parts of the runtime that the project can come to need. */
export async function bundleEntries(target: BuildTarget, ready: Ready, manifest: Manifest): Promise<Bundles> {
  const included = partsOf(ready, manifest);
  const bundles = ready.native === null ? target.bundles : target.nativeBundles;
  const isolated = ready.native?.manifest.isolated === undefined ? {} : { [ENGINE_PROCESS]: ENGINE_ENTRY };
  const entries = { ...bundles, ...isolated, ...(ready.python === null ? {} : target.python.bundles) };
  const made = Object.entries(entries).map(
    async ([path, entry]) => [path, await bundle(entry, target.runtime, included)] as const,
  );
  return new Map(await Promise.all(made));
}

/** The optional parts of the runtime that this project can come to need. */
function partsOf(
  { catalog, config, python, native }: Ready,
  { secrets, audit, database }: Manifest,
): Included {
  const entries = [catalog.tools, catalog.resources, catalog.prompts].flatMap((kind) =>
    Object.values<AnyEntry>(kind),
  );
  const ruled = entries.some(({ policies: { input, output } }) => input.length + output.length > 0);
  const conditional = entries.some(({ ask = [] }) => ask.flat().some(({ when }) => when !== undefined));
  const restricted = Object.values(catalog.tools).some(
    ({ source }) => source.language === 'sql' && source.tables !== undefined,
  );
  const asking = entries.some(({ confirm, ask }) => confirm !== undefined || ask !== undefined);
  return {
    config: config !== null,
    // The secrets of a remote database need not be named in the site file.
    settings: config !== null || secrets.length > 0 || native !== null,
    audit: audit.enabled,
    auth: config !== null && configNeedsSignIn(config),
    telemetry: config !== null && namesTelemetry(config),
    policies: ruled || conditional || restricted,
    prompts: asking || Object.keys(catalog.prompts).length > 0,
    python: python !== null,
    native: native !== null,
    remote: database.remote !== undefined,
  };
}
