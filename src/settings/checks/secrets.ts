import { extensionsOfSecret, needsOutside, SECRET_TYPES } from '../../project/extension.ts';
import type { Finding } from '../../project/finding.ts';
import { extensionPath, type SiteFile } from '../../project/site-model.ts';
import { nearestName, suggestName } from '../../types/nearest.ts';
import type { Settings } from '../model.ts';
import { type Pointed, point, type SitePlace } from './settings.ts';

/** The types of the specification, DuckDB's own, and those of its extensions. Other extensions may have more. */
const KNOWN_TYPES = ['database', 'api', 'custom', 'http', ...SECRET_TYPES];

/**
 * Checks that the user file has the secrets that the site file names, that `database.sandbox` allows all extensions and
 * secrets, that an extension for each secret is loaded, and that no type is misspelt.
 */
export function checkSecrets(
  site: SiteFile,
  settings: Settings,
  at: Pointed & { readonly place: SitePlace },
): readonly Finding[] {
  const ofSandbox = settings.database.sandbox
    ? [...checkSandboxed(site, at.place), ...checkSandboxedSecrets(settings, at)]
    : checkIdleSecrets(site, settings, at);
  return [
    ...checkSiteSecrets(site, settings, at.place),
    ...ofSandbox,
    ...checkTypes(settings, at),
    ...checkAttachedSecrets(site, settings, at.place),
  ];
}

function checkSandboxed(site: SiteFile, { file, position }: SitePlace): readonly Finding[] {
  return site.extensions.flatMap(({ name }, index) => {
    if (!needsOutside(name)) return [];
    return [
      {
        severity: 'error' as const,
        code: 'sandbox-conflict',
        file,
        ...position(extensionPath(site, index)),
        message: `The extension ${name} reaches data outside of the database, but \`database.sandbox\` forbids that.`,
        fix: 'Remove the extension, or set `sandbox: false` for the database of the profile.',
      },
    ];
  });
}

function checkSandboxedSecrets({ secrets }: Settings, at: Pointed): readonly Finding[] {
  return secrets.flatMap(({ type }, index) => {
    if (extensionsOfSecret(type).length === 0) return [];
    return [
      point(at, ['profile', 'secrets', index, 'type'], {
        code: 'sandbox-conflict',
        message: `is ${type}, which gives access to data outside of the database, but \`database.sandbox\` forbids that.`,
        fix: 'Remove the secret, or set `sandbox: false` for the database of the profile.',
      }),
    ];
  });
}

function checkIdleSecrets({ extensions }: SiteFile, { secrets }: Settings, at: Pointed): readonly Finding[] {
  const loaded = extensions.map(({ name }) => name.toLowerCase());
  return secrets.flatMap(({ type }, index) => {
    const able = extensionsOfSecret(type);
    const [usual] = able;
    if (usual === undefined || able.some((name) => loaded.includes(name))) return [];
    const finding = point(at, ['profile', 'secrets', index, 'type'], {
      code: 'secret-idle',
      message: `is ${type}, which only the extension ${usual} supports, so the database does not get this secret.`,
      fix: `Add ${usual} to \`extensions\` of svc-site.yml.`,
    });
    return [{ ...finding, severity: 'warning' as const }];
  });
}

/** Reports types that are almost a known one. Others may be those of an extension that svc does not know. */
function checkTypes({ secrets }: Settings, at: Pointed): readonly Finding[] {
  return secrets.flatMap(({ type }, index) => {
    const near = KNOWN_TYPES.includes(type.toLowerCase()) ? null : nearestName(type, KNOWN_TYPES);
    if (near === null) return [];
    const finding = point(at, ['profile', 'secrets', index, 'type'], {
      code: 'secret-type',
      message: `is ${type}, which is no type that svc knows, so the database may not get this secret.`,
      fix: `Did you mean ${near}?`,
    });
    return [{ ...finding, severity: 'warning' as const }];
  });
}

/** Reports secrets that the site file names and the user file lacks. */
function checkSiteSecrets(site: SiteFile, settings: Settings, at: SitePlace): readonly Finding[] {
  const known = settings.secrets.map(({ name }) => name);
  return site.secrets.flatMap((name, index) => {
    if (known.includes(name)) return [];
    return [
      {
        severity: 'error' as const,
        code: 'secret-undefined',
        file: at.file,
        ...at.position(['secrets', index]),
        message: `The secret ${name} is not defined for profile ${site.profile} of project ${site.project}.`,
        fix: suggestName(
          name,
          known,
          `Define it in the user file under projects.${site.project}.profiles.${site.profile}.secrets.`,
        ),
      },
    ];
  });
}

/** Reports attached databases whose secret the user file does not have. */
function checkAttachedSecrets(
  { profile, database }: SiteFile,
  { secrets }: Settings,
  { file, position }: SitePlace,
): readonly Finding[] {
  const known = secrets.map(({ name }) => name);
  return database.attach.flatMap(({ name, secret }, index) => {
    if (secret === undefined || known.includes(secret)) return [];
    return [
      {
        severity: 'error' as const,
        code: 'secret-undefined',
        file,
        ...position(['profiles', profile, 'database', 'attach', index, 'secret']),
        message: `The attached database ${name} needs the secret ${secret}, which the user file does not have.`,
        fix: suggestName(secret, known, 'Add it under `secrets` of the profile there.'),
      },
    ];
  });
}
