import { extensionsOfSecret, needsOutside } from '../../project/extension.ts';
import type { Finding } from '../../project/finding.ts';
import { extensionPath, type SiteFile } from '../../project/site-model.ts';
import type { Settings } from '../model.ts';
import { type Pointed, point, type SitePlace } from './settings.ts';

/** Checks extensions and secrets against `database.sandbox`, and reports secrets whose extension is not loaded. */
export function checkSandbox(
  site: SiteFile,
  settings: Settings,
  at: Pointed & { readonly place: SitePlace },
): readonly Finding[] {
  if (!settings.database.sandbox) return checkIdleSecrets(site, settings, at);
  return [...checkSandboxed(site, at.place), ...checkSandboxedSecrets(settings, at)];
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
