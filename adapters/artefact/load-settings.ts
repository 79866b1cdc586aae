import type { Settings } from '../../src/settings/model.ts';
import { loadEdgeSettings } from '../../src/settings/without-files.ts';
import type { ColdStart, OpenSource } from './cold-start.ts';

/** Loads the settings when a user file is there or secrets are needed (design, D15). */
export async function loadWith(start: ColdStart, openSource: OpenSource): Promise<Settings | null> {
  const { manifest, bundled, env } = start;
  const { profile, secrets, catalog } = manifest;
  if (!env.SVC_CONFIG_YAML?.trim() && bundled === null && secrets.length === 0) return null;
  return loadEdgeSettings({
    project: catalog.project,
    profile,
    secrets,
    bundled,
    env,
    openSource: (connections) => openSource(connections, env),
  });
}
