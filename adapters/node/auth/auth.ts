import { createAuth } from '../../../src/auth/create.ts';
import { endpointScopes } from '../../../src/auth/endpoint-scopes.ts';
import type { Auth } from '../../../src/auth/types.ts';
import type { Catalog } from '../../../src/catalog/model.ts';
import type { Log, TokenStore } from '../../../src/ports.ts';
import type { Settings } from '../../../src/settings/model.ts';
import { enforceStore } from '../../artefact/auth.ts';
import { createFetchDocument } from '../http/fetch-document.ts';
import { ownKeys } from './keys.ts';
import { openJwe } from './open-jwe.ts';

/** The authentication of a server, and what it holds open. */
export interface OpenAuth {
  readonly auth: Auth;
  close(): Promise<void>;
}

/** Authentication for a long-lived process; without state it needs keys from outside, as all its instances do. */
export async function openAuth(settings: Settings, catalog: Catalog, log: Log): Promise<OpenAuth> {
  const { auth, transport } = settings;
  const { host, stateless } = transport.http;
  const issues = auth.verifier === null;
  // before a key is made that ends with the process
  if (issues && !stateless && auth.persistence !== null) enforceStore(auth.persistence, 'sqlite');
  const own = issues && !stateless ? ownKeys(auth, log) : [];
  const store = issues && !stateless ? await openStore(settings) : null;
  if (stateless && auth.persistence !== null) {
    const message =
      '`auth.persistence` is ignored: the server is stateless, so sessions end with their token.';
    log({ level: 'warn', message });
  }
  try {
    const created = createAuth({
      settings,
      project: catalog.project,
      endpointScopes: endpointScopes(catalog),
      ownKeys: own,
      store,
      fetchDocument: createFetchDocument(),
      openJwe,
      listens: { host },
      log,
    });
    return { auth: created, close: async () => store?.close() };
  } catch (thrown) {
    await store?.close();
    throw thrown;
  }
}

/** Loaded only where sessions are stored. */
async function openStore({ auth: { persistence } }: Settings): Promise<TokenStore | null> {
  if (persistence === null) return null;
  const { openTokenStore } = await import('./token-store.ts');
  return openTokenStore(enforceStore(persistence, 'sqlite').path);
}
