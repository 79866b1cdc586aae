import { SvcError } from '../../src/errors.ts';

/** Parameters of secrets that name a place or a method and are no credentials; dbt may show them. */
const PLAIN = new Set([
  'region',
  'endpoint',
  'scope',
  'provider',
  'url_style',
  'use_ssl',
  'host',
  'port',
  'database',
  'user',
]);

/** The dbt profile for an svc profile, e.g. `shop_default`. Each has its own, so that `svc --profile` chooses it. */
export function toDbtProfile(project: string, profile: string): string {
  return toIdentifier(`${project}_${profile}`);
}

/** A name that dbt and SQL accept without quotes. */
export function toIdentifier(name: string): string {
  return name.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_');
}

/** One value of a secret, and the variables that carry it. */
interface SecretValue {
  /** The parameter, and a key in it if its value is a map. */
  readonly path: readonly [string] | readonly [string, string];
  /** The variable that models, macros and hooks read. */
  readonly variable: string;
  /**
   * The variable in profiles.yml. dbt hides the values of variables named `DBT_ENV_SECRET_...` in everything it
   * writes.
   */
  readonly inProfile: string;
}

type Parameters = { readonly [name: string]: unknown };

/** Lists the values of a secret with their variables. Both profiles.yml and dbt's environment are made from it. */
export function valuesOf(secret: string, parameters: Parameters): readonly SecretValue[] {
  return Object.entries(parameters).flatMap(([name, value]): readonly SecretValue[] => {
    if (typeof value !== 'object' || value === null) return [toValue(secret, [name])];
    return Object.keys(value).map((key) => toValue(secret, [name, key]));
  });
}

function toValue(secret: string, path: SecretValue['path']): SecretValue {
  const words = [secret, ...path].map((word) => word.replaceAll(/\W/g, '_').toUpperCase());
  const variable = `SVC_SECRET_${words.join('_')}`;
  const shown = PLAIN.has(path[0].toLowerCase());
  return { path, variable, inProfile: shown ? variable : `DBT_ENV_SECRET_${words.join('_')}` };
}

/** Throws if two values would get the same variable. */
export function refuseCollisions(
  secrets: readonly { readonly name: string; readonly parameters: Parameters }[],
) {
  const seen = new Map<string, string>();
  for (const { name, parameters } of secrets) {
    for (const { path, variable } of valuesOf(name, parameters)) {
      const place = [name, ...path].join('.');
      const other = seen.get(variable);
      if (other !== undefined) throw collision(other, place, variable);
      seen.set(variable, place);
    }
  }
}

function collision(one: string, other: string, variable: string): SvcError {
  return new SvcError(
    'config_invalid',
    `The secrets ${one} and ${other} would both reach dbt as ${variable}. Rename one of them in the user file.`,
  );
}
