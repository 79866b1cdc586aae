import type { AuthDeps } from '../../src/auth/create.ts';
import { endpointScopes } from '../../src/auth/endpoint-scopes.ts';
import type { Auth } from '../../src/auth/types.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { SvcError } from '../../src/errors.ts';
import type { TokenStore } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { enforceStore, type OpenStore } from './enforce-store.ts';

/** What a platform brings to the authentication of an artefact. */
export type ArtefactAuthDeps = Pick<AuthDeps, 'fetchDocument' | 'openJwe' | 'listens' | 'log'> & {
  /** Left out where a platform keeps nothing. */
  readonly openStore?: OpenStore;
};

/** Whether settings ask for tokens. */
export function needsSignIn({ auth }: Pick<Settings, 'auth'>): boolean {
  return auth.provider !== null || auth.verifier !== null;
}

/** The authentication that settings ask for, loaded only then. Null: everybody may come. */
export async function startAuth(
  settings: Settings | null,
  catalog: Catalog,
  parts: ArtefactAuthDeps,
): Promise<Auth | null> {
  if (settings === null || !needsSignIn(settings)) return warnOfScopes(catalog, parts);
  const { createAuth } = await import('../../src/auth/create.ts').catch((cause) => {
    throw new SvcError('config_invalid', NOT_BUILT_IN, { cause });
  });
  const scopes = endpointScopes(catalog);
  const store = await storeOf(settings, parts);
  const { auth, transport } = settings;
  // no artefact has the transport sse
  const served = { auth, transport: { http: transport.http } };
  return createAuth({ ...parts, settings: served, project: catalog.project, endpointScopes: scopes, store });
}

/** Where another server makes the tokens, nothing is stored. */
async function storeOf({ auth }: Settings, { openStore, log }: ArtefactAuthDeps): Promise<TokenStore | null> {
  const { persistence, verifier } = auth;
  if (persistence === null) return null;
  if (openStore !== undefined && verifier === null) return openStore(persistence);
  if (verifier === null) enforceStore(persistence, 'sqlite');
  const message = '`auth.persistence` is set, and nothing is stored here: sessions end with their token.';
  log({ level: 'warn', message });
  return null;
}

const NOT_BUILT_IN = `The configuration sets \`auth.provider\` or \`auth.mode: verifier\`, but this artefact was built without authentication.
Build it again with \`svc build --config <file>\`, where the file has the \`auth\` block.`;

/** Where nobody asks for tokens, nobody can hold scopes. */
export function warnOfScopes(catalog: Catalog, { log }: Pick<ArtefactAuthDeps, 'log'>): null {
  const scopes = endpointScopes(catalog);
  if (scopes.length === 0) return null;
  const message = `\`auth.provider\` is none, so nobody is asked for the scopes that endpoints name: ${scopes.join(', ')}`;
  log({ level: 'warn', message });
  return null;
}
