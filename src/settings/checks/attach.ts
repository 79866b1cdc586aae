import type { Finding } from '../../project/finding.ts';
import type { SiteFile } from '../../project/site-model.ts';
import { nearestName } from '../../types/nearest.ts';
import type { Settings } from '../model.ts';
import type { SitePlace } from './settings.ts';

/** Reports attached databases whose secret the user file does not have. */
export function checkAttachedSecrets(
  { profile, database }: SiteFile,
  { secrets }: Settings,
  { file, position }: SitePlace,
): readonly Finding[] {
  const known = secrets.map(({ name }) => name);
  return database.attach.flatMap(({ name, secret }, index) => {
    if (secret === undefined || known.includes(secret)) return [];
    const near = nearestName(secret, known);
    return [
      {
        severity: 'error' as const,
        code: 'secret-undefined',
        file,
        ...position(['profiles', profile, 'database', 'attach', index, 'secret']),
        message: `The attached database ${name} needs the secret ${secret}, which the user file does not have.`,
        fix: near === null ? 'Add it under `secrets` of the profile there.' : `Did you mean ${near}?`,
      },
    ];
  });
}
