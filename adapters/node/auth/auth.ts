import { type ApiKeys, createApiKeys } from '../../../src/auth/api-keys.ts';
import { createAuth } from '../../../src/auth/create.ts';
import { endpointScopes } from '../../../src/auth/scopes.ts';
import type { Auth } from '../../../src/auth/types.ts';
import type { Catalog } from '../../../src/catalog/model.ts';
import type { Log, TokenStore } from '../../../src/ports.ts';
import type { Settings } from '../../../src/settings/model.ts';
import { enforceStore } from '../../artefact/auth.ts';
import { absolutePath } from '../absolute-path.ts';
import { createFetchDocument } from '../http/fetch-document.ts';
import { ownKeys } from './keys.ts';
import { openJwe } from './open-jwe.ts';

/** The authentication of a server, with the token store that it keeps open. */
export interface OpenAuth {
  readonly auth: Auth;
  /** The accepted API keys, which a reload replaces. */
  readonly apiKeys: ApiKeys;
  close(): Promise<void>;
}

/** The log, and the host that the process listens on; null if a program around the app listens. */
interface NodeAuthDeps {
  readonly log: Log;
  readonly host: string | null;
}

/**
 * Opens the authentication of a long-lived process. A stateless one has no keys of its own: `auth.keys` must be
 * set, as on all its instances. Throws `config_invalid`.
 */
export async function openAuth(
  settings: Settings,
  catalog: Catalog,
  { log, host }: NodeAuthDeps,
): Promise<OpenAuth> {
  const { auth, transport } = settings;
  const { stateless } = transport.http;
  const issues = auth.provider !== null;
  // A store of the wrong type is reported before a key is made that would end with the process.
  if (issues && !stateless && auth.persistence !== null) enforceStore(auth.persistence, 'sqlite');
  const own = issues && !stateless ? ownKeys(auth, log) : [];
  const store = issues && !stateless ? await openStore(settings) : null;
  if (stateless && auth.persistence !== null) {
    const message =
      '`auth.persistence` is ignored: the server is stateless, so sessions end with their token.';
    log({ level: 'warn', message });
  }
  const apiKeys = createApiKeys(auth.api_keys ?? [], { revocable: true });
  try {
    const created = createAuth({
      settings,
      apiKeys,
      project: catalog.project,
      endpointScopes: endpointScopes(catalog),
      ownKeys: own,
      store,
      fetchDocument: createFetchDocument(),
      openJwe,
      listens: { host },
      log,
    });
    return { auth: created, apiKeys, close: async () => store?.close() };
  } catch (thrown) {
    await store?.close();
    throw thrown;
  }
}

/** Opens the SQLite store; null without `auth.persistence`. Its code is loaded only when it is configured. */
async function openStore({ auth: { persistence } }: Settings): Promise<TokenStore | null> {
  if (persistence === null) return null;
  const { openTokenStore } = await import('./token-store.ts');
  return openTokenStore(absolutePath('', enforceStore(persistence, 'sqlite').path));
}
