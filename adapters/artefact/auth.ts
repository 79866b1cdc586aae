import type { AuthDeps } from '../../src/auth/create.ts';
import { enforceExposure } from '../../src/auth/exposure.ts';
import { endpointScopes } from '../../src/auth/scopes.ts';
import type { Auth } from '../../src/auth/types.ts';
import type { Manifest } from '../../src/catalog/manifest.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { createKeyRing, parseKeys } from '../../src/crypto/keys.ts';
import { createSealer, type Sealer } from '../../src/crypto/seal.ts';
import { SvcError } from '../../src/errors.ts';
import type { TokenStore } from '../../src/ports.ts';
import { toBoolean } from '../../src/settings/boolean.ts';
import { type Environment, toKeys } from '../../src/settings/environment.ts';
import type { Persistence, Settings } from '../../src/settings/model.ts';
import { signInOf } from '../../src/settings/sign-in.ts';

/** Opens the type of token store that a platform has; throws `config_invalid` for another type. */
export type OpenStore = (persistence: Persistence) => Promise<TokenStore>;

/** The ports that a platform brings for authentication. */
export type ArtefactAuthDeps = Pick<AuthDeps, 'fetchDocument' | 'openJwe' | 'listens' | 'log'> & {
  /** Absent on a platform that has no token store. */
  readonly openStore?: OpenStore;
};

/** Returns whether the settings require tokens. */
export function needsSignIn({ auth }: Pick<Settings, 'auth'>): boolean {
  return signInOf(auth) !== null;
}

/** The artefact that starts. */
export interface StartingArtefact {
  readonly manifest: Pick<Manifest, 'access' | 'catalog'>;
  readonly env: Environment;
  /** The begin of a sentence about the place where other machines reach it; null if none does. */
  readonly place: string | null;
}

/**
 * Throws `config_invalid` for an artefact that was built with sign-in and starts without, and for one that other
 * machines reach without sign-in, unless it is public on purpose (design, D21).
 */
export function enforceBuiltAccess(
  settings: Settings | null,
  { manifest: { access, catalog }, env, place }: StartingArtefact,
): void {
  if (settings !== null && needsSignIn(settings)) return;
  if (access.signIn !== null) {
    throw new SvcError(
      'config_invalid',
      `The artefact was built for ${access.signIn}, but its settings have no sign-in.
Restore its config.yml, or set SVC_CONFIG_YAML to a user file with the \`auth\` block. To serve it without sign-in, build it again with \`svc build --public\`.`,
    );
  }
  if (place === null) return;
  const said = settings?.auth.public ?? toBoolean(env.SVC_PUBLIC?.trim() ?? '') === true;
  enforceExposure({ catalog, signIn: null, public: access.public || said }, { place, fix: REBUILD });
}

const REBUILD =
  'Build it again with `svc build --config <file>`, where the file has an `auth` block. If everybody may call it, build it with `--public`, or set SVC_PUBLIC=true.';

/**
 * Creates the authentication that the settings require; its code is loaded only then. Returns null if no tokens are
 * required, so that every client may call. Throws `config_invalid` if the artefact was built without authentication.
 */
export async function startAuth(
  settings: Settings | null,
  catalog: Catalog,
  deps: ArtefactAuthDeps,
): Promise<Auth | null> {
  if (settings === null || !needsSignIn(settings)) return warnOfScopes(catalog, deps);
  const { createAuth } = await import('../../src/auth/create.ts').catch((cause) => {
    throw new SvcError('config_invalid', NOT_BUILT_IN, { cause });
  });
  const scopes = endpointScopes(catalog);
  const store = await openStoreOf(settings, deps);
  const { auth, transport } = settings;
  // Artefacts do not serve the transport sse.
  const served = { auth, transport: { http: transport.http } };
  return createAuth({ ...deps, settings: served, project: catalog.project, endpointScopes: scopes, store });
}

/** Opens the store; null if none is configured, or if this server issues no tokens. */
async function openStoreOf(
  { auth }: Settings,
  { openStore, log }: ArtefactAuthDeps,
): Promise<TokenStore | null> {
  const { persistence, provider } = auth;
  if (persistence === null) return null;
  if (openStore !== undefined && provider !== null) return openStore(persistence);
  if (provider !== null) enforceStore(persistence, 'sqlite');
  const message =
    '`auth.persistence` is ignored: this server stores nothing, so sessions end with their token.';
  log({ level: 'warn', message });
  return null;
}

/**
 * Returns the settings of the store if they have the type that the platform offers; throws `config_invalid` otherwise.
 *
 *     const { table } = enforceStore(persistence, 'dynamodb');
 */
export function enforceStore<Type extends Persistence['type']>(
  persistence: Persistence,
  usable: Type,
): Extract<Persistence, { readonly type: Type }> {
  if (isOf(persistence, usable)) return persistence;
  throw new SvcError(
    'config_invalid',
    `\`auth.persistence.type\` is ${persistence.type}, but this platform supports only ${usable}.
Choose sqlite for \`svc serve\`, dynamodb on AWS Lambda, d1 on Cloudflare Workers, or remove \`auth.persistence\`.`,
  );
}

function isOf<Type extends Persistence['type']>(
  persistence: Persistence,
  type: Type,
): persistence is Extract<Persistence, { readonly type: Type }> {
  return persistence.type === type;
}

const NOT_BUILT_IN = `The configuration sets \`auth.provider\`, \`auth.mode: verifier\` or \`auth.api_keys\`, but this artefact was built without authentication.
Build it again with \`svc build --config <file>\`, where the file has the \`auth\` block.`;

/** Warns about endpoints that require scopes: without tokens, no caller can hold any. */
export function warnOfScopes(catalog: Catalog, { log }: Pick<ArtefactAuthDeps, 'log'>): null {
  const scopes = endpointScopes(catalog);
  if (scopes.length === 0) return null;
  const message = `\`auth.provider\` is none, so callers have no tokens and the scopes that endpoints require are not checked: ${scopes.join(', ')}`;
  log({ level: 'warn', message });
  return null;
}

/**
 * Seals the state of calls under `auth.keys`, so that any instance can continue a call; null without keys. An artefact
 * without settings takes the keys from SVC_AUTH_KEYS; throws `config_invalid` if they have another form.
 */
export function stateSealer(settings: Settings | null, env: Environment): Sealer | null {
  const keys = settings?.auth.keys ?? keysIn(env);
  if (keys.length === 0) return null;
  return createSealer({ ring: createKeyRing(parseKeys(keys)), now: Date.now, notBefore: null });
}

function keysIn({ SVC_AUTH_KEYS: text = '' }: Environment) {
  if (text.trim() === '') return [];
  const keys = toKeys(text);
  if (keys !== null) return keys;
  throw new SvcError(
    'config_invalid',
    'SVC_AUTH_KEYS must be kid:secret, several separated by commas. Make a key with `svc auth keygen`.',
  );
}
