import type { Settings } from '../../src/settings/model.ts';
import { loadEdgeSettings } from '../../src/settings/without-files.ts';
import { createSecretSource } from '../references/source.ts';
import type { ColdStart, LoadStartSettings, OpenSource } from './cold-start.ts';

/** Loads the settings on a platform without files: references lead to variables, Vault and 1Password Connect. */
export const loadStartSettings: LoadStartSettings = (start) => loadWith(start, createSecretSource);

/**
 * Loads the settings of an artefact and resolves its references through `openSource` (design, D15). Returns null for
 * an artefact that has no user file and needs no secrets.
 */
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
