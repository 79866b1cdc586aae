import { createHash } from 'node:crypto';
import { auditSettingsOf } from '../../adapters/artefact/audit.ts';
import type { Manifest } from '../../src/catalog/manifest.ts';
import type { SiteFile } from '../../src/project/site-model.ts';
import type { Allowed } from '../../src/quality/gate/report.ts';
import { VERSION } from '../../src/version.ts';
import { nativeHash } from '../native/native-parts.ts';
import { pythonHash } from '../python/pyodide-files.ts';
import type { ServedDatabase } from './database.ts';
import type { Ready } from './read-project.ts';

/** The manifest of an artefact. Its hash covers everything that decides how the artefact answers. */
export function toManifest(
  { site, catalog, config, callers, python, native }: Ready,
  database: ServedDatabase,
  allowed: readonly Allowed[],
): Manifest {
  const { profile } = site;
  const secrets = secretNamesOf(site);
  const audit = auditSettingsOf(site.audit, process.env);
  const parts = [
    catalog.hash,
    database.sha256,
    JSON.stringify([database.name, profile, secrets, audit, config, callers]),
    ...(allowed.length === 0 ? [] : [JSON.stringify(allowed)]),
    ...(python === null ? [] : [pythonHash(python)]),
    ...(native === null ? [] : [nativeHash(native)]),
  ];
  const hash = createHash('sha256').update(parts.join(' ')).digest('hex');
  const manifest = {
    svc: 1,
    version: VERSION,
    hash,
    database,
    profile,
    secrets,
    access: callers,
    audit,
    catalog,
    ...(allowed.length === 0 ? {} : { allowed }),
    ...(native === null ? {} : { native: native.manifest }),
  } as const;
  return python === null ? manifest : { ...manifest, python: { folder: python.folder } };
}

/** The secrets that the project names, also those of its attached databases. */
function secretNamesOf({ secrets, database: { attach } }: SiteFile): readonly string[] {
  return [...new Set([...secrets, ...attach.flatMap(({ secret }) => secret ?? [])])];
}
