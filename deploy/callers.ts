import { dangersOf, enforceExposure } from '../src/auth/exposure.ts';
import { endpointScopes } from '../src/auth/scopes.ts';
import type { AnyEntry, Catalog } from '../src/catalog/model.ts';
import { SvcError } from '../src/errors.ts';
import type { Callers } from '../src/settings/sign-in.ts';
import { TARGETS, type TargetName } from './targets/targets.ts';

/** The choices of the person who builds about the callers of the artefact. */
export interface CallerOptions {
  readonly target: TargetName;
  /** Whether everybody may call an artefact without sign-in (`--public`). */
  readonly public?: boolean;
  /** The callers that the builder's own user file names, which is not built in. */
  readonly own?: Callers;
  /** Whether the artefact only runs on this machine, as in `svc preview`. */
  readonly local?: boolean;
}

/** Combines the built-in user file, `--public` and the builder's own file. */
export function combineCallers(bundled: Callers, options: CallerOptions): Callers {
  const { signIn } = bundled;
  const { own = NOBODY } = options;
  // An own file with sign-in contradicts its `public`, so only `--public` counts then.
  const said = options.public === true || bundled.public || (own.signIn === null && own.public);
  return { signIn, public: signIn === null && said };
}

const NOBODY: Callers = { signIn: null, public: false };

/**
 * Throws `config_invalid` for an artefact that would lose the sign-in of the builder's user file, whose endpoints or SQL
 * tools need callers with tokens, or that everybody could call, unless it is public on purpose (design, D21).
 */
export function enforceCallers(callers: Callers, catalog: Catalog, options: CallerOptions): void {
  const { target, own = NOBODY, local = false } = options;
  if (TARGETS[target].callers === 'holder') {
    enforceHolders(callers, catalog, options);
    return;
  }
  if (local || callers.signIn !== null || callers.public) return;
  if (own.signIn !== null) {
    throw new SvcError(
      'config_invalid',
      `The user file has ${own.signIn}, but the artefact would serve everybody, because no user file is built in.
${FIX}`,
    );
  }
  const { title, callers: reach } = TARGETS[target];
  if (reach === 'machine' && dangersOf(catalog).length === 0) return;
  enforceExposure({ ...callers, catalog }, { place: `The artefact for ${title} would serve`, fix: FIX });
}

const FIX =
  'Build the user file with its `auth` block in: `--config <file>`. If everybody may call the artefact, say `--public`, or set `auth.public: true`.';

/**
 * Throws `config_invalid` for an artefact whose holder can read data that the project protects, unless that is on purpose:
 * the holder has the database as a file, so sign-in, scopes, policies and rules of tables protect nothing in it.
 */
function enforceHolders(callers: Callers, catalog: Catalog, options: CallerOptions): void {
  const { signIn } = callers;
  const { target, local = false } = options;
  const { title } = TARGETS[target];
  if (signIn !== null) {
    throw new SvcError(
      'config_invalid',
      `The built-in user file has ${signIn}, but an artefact for ${title} signs nobody in: each person who has it can read its database. Remove \`auth\` from the file that \`--config\` names.`,
    );
  }
  if (local) return;
  const lost = lostProtections(callers, catalog, options);
  if (lost.length === 0) return;
  throw new SvcError(
    'config_invalid',
    `Each person who has an artefact for ${title} can read its whole database, so these protect nothing in it: ${lost.join(', ')}.
If everybody who gets it may read all the data, say \`--public\`. Otherwise build a profile whose database has only data for them.`,
  );
}

/**
 * The sign-in, scopes, policies and rules of tables that protect nothing against the holders of an artefact. Empty if
 * everybody may read the data, and for an artefact that is not handed out.
 */
export function lostProtections(
  { public: isPublic }: Callers,
  catalog: Catalog,
  { target, own = NOBODY }: CallerOptions,
): readonly string[] {
  if (isPublic || TARGETS[target].callers !== 'holder') return [];
  return [
    ...(own.signIn === null ? [] : [own.signIn]),
    ...endpointScopes(catalog).map((scope) => `the scope ${scope}`),
    ...protectedEndpoints(catalog),
  ];
}

/** The endpoints whose policies, or rules of tables, keep data from some callers. */
function protectedEndpoints({ tools, resources, prompts }: Catalog): readonly string[] {
  const entries = [tools, resources, prompts].flatMap((kind) => Object.entries<AnyEntry>(kind));
  return entries.flatMap(([name, entry]) => {
    const { input, output } = entry.policies;
    if (input.length + output.length > 0) return [`the policies of ${name}`];
    const ruled =
      entry.kind === 'tool' && entry.source.language === 'sql' && entry.source.tables !== undefined;
    return ruled ? [`the rules of tables of ${name}`] : [];
  });
}

/** Says in one line who may call an artefact. */
export function toCallersLine({ signIn, public: isPublic }: Callers, target: TargetName): string {
  if (TARGETS[target].callers === 'holder') return 'each person who has the artefact';
  if (signIn !== null) return signIn;
  if (!isPublic) return 'no sign-in, this machine only';
  return target === 'aws-lambda' ? 'AuthType: NONE, public on purpose' : 'no sign-in, public on purpose';
}
