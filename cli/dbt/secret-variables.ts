import { SvcError } from '../../src/errors.ts';
import type { SiteFile } from '../../src/project/site-model.ts';
import type { Secret } from '../../src/settings/model.ts';
import { isKnown } from './required-values.ts';
import { refuseCollisions, valuesOf } from './secret-names.ts';

/** The profile's secrets as environment variables for dbt's process. */
export function secretVariables(
  site: SiteFile,
  secrets: readonly Secret[],
): Readonly<Record<string, string>> {
  refuseCollisions(secrets);
  return Object.fromEntries(
    secrets.flatMap((secret) => toVariables(secret, isKnown(secret.type, site.extensions))),
  );
}

function toVariables(
  { name, parameters }: Secret,
  inProfile: boolean,
): readonly (readonly [string, string])[] {
  return valuesOf(name, parameters).flatMap(({ path, ...variables }) => {
    const [parameter, key] = path;
    const value = parameters[parameter];
    const found = typeof value === 'object' && key !== undefined ? value[key] : value;
    const text = typeof found === 'object' ? JSON.stringify(found) : String(found);
    if (inProfile && /['\0]/.test(text)) throw uncarried(name, path.join('.'));
    return [...new Set([variables.variable, variables.inProfile])].map(
      (variable) => [variable, text] as const,
    );
  });
}

/** dbt-duckdb writes values into SQL without escaping them. */
function uncarried(name: string, parameter: string): SvcError {
  return new SvcError(
    'config_invalid',
    `The secret ${name} has a ' in ${parameter}, which dbt's adapter for DuckDB cannot quote. Change the secret where it was issued.`,
  );
}
