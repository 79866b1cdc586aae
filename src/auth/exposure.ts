import type { Catalog } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import { endpointScopes } from './scopes.ts';

/** The facts that decide whether other machines may reach a server (design, D21). */
interface Exposure {
  readonly catalog: Catalog;
  /** Such as `sign-in with Keycloak`; null if every caller is anonymous. */
  readonly signIn: string | null;
  /** Whether `--public`, SVC_PUBLIC or `auth.public` says that everybody may call. */
  readonly public: boolean;
}

/**
 * Throws `config_invalid` if anonymous callers of other machines could use a server that is not public on purpose.
 *
 *     enforceExposure(exposure, { place: 'The server would listen on 0.0.0.0', fix: 'Say --public.' });
 */
export function enforceExposure(
  { catalog, signIn, public: isPublic }: Exposure,
  { place, fix }: { readonly place: string; readonly fix: string },
): void {
  if (signIn !== null || isPublic) return;
  const dangers = dangersOf(catalog).join('');
  throw new SvcError(
    'config_invalid',
    `${place} without sign-in, so everybody could call it.${dangers}\n${fix}`,
  );
}

/** The protections that anonymous callers of a catalog would pass, in sentences. */
export function dangersOf(catalog: Catalog): readonly string[] {
  const scopes = endpointScopes(catalog);
  return [
    ...(scopes.length > 0
      ? [` The scopes of its endpoints would not be checked: ${scopes.join(', ')}.`]
      : []),
    ...(hasSqlTools(catalog) ? [' Its SQL tools would run the SQL of anybody.'] : []),
  ];
}

function hasSqlTools({ tools }: Catalog): boolean {
  return Object.values(tools).some(
    ({ source }) => source.language === 'sql' && source.statement !== undefined,
  );
}
