import { SvcError } from '../../errors.ts';
import type { Parameters } from '../parameters.ts';
import type { AuthServer, OAuthClient, OAuthRequest } from '../types.ts';
import { findClient } from './find.ts';

/** The credentials that a client sent. */
interface Credentials {
  readonly id: string;
  readonly secret: string | null;
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post';
}

/**
 * Returns the client that sent a form. Throws client_invalid unless it authenticates by its registered method (RFC 6749,
 * 2.3).
 */
export async function authenticateClient(
  server: AuthServer,
  oauth: OAuthRequest,
  form: Parameters,
): Promise<OAuthClient> {
  const credentials = readCredentials(oauth.request.headers.get('authorization'), form);
  const client = await findClient(server, oauth, credentials.id, { outdated: true });
  const { method } = client;
  const allowed = method === 'secret' ? credentials.method !== 'none' : credentials.method === method;
  if (!allowed) throw invalid('The client must authenticate by its registered method.');
  if (client.isSecret === undefined) return client;
  if (credentials.secret !== null && (await client.isSecret(credentials.secret))) return client;
  throw invalid('The client secret is wrong.');
}

function readCredentials(header: string | null, form: Parameters): Credentials {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  const basic = header === null ? null : parseBasic(header);
  if (basic !== null) {
    if (secret !== undefined || (id !== undefined && id !== basic.id)) {
      throw new SvcError('request_invalid', 'The client authenticates in two ways at once.');
    }
    return { ...basic, method: 'client_secret_basic' };
  }
  if (id === undefined) throw invalid('The client_id is missing.');
  return secret === undefined
    ? { id, secret: null, method: 'none' }
    : { id, secret, method: 'client_secret_post' };
}

function parseBasic(header: string): { readonly id: string; readonly secret: string } | null {
  const credentials = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header.trim())?.[1];
  if (credentials === undefined) throw invalid('The Authorization header is not HTTP Basic.');
  try {
    const text = atob(credentials);
    const at = text.indexOf(':');
    if (at > 0) return { id: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)) };
  } catch {
    throw invalid('The Authorization header cannot be read.');
  }
  throw invalid('The Authorization header holds no client id and secret.');
}

/** Both parts are form-encoded before they are joined (RFC 6749, 2.3.1). */
function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function invalid(message: string): SvcError {
  return new SvcError('client_invalid', message);
}
