import { SvcError } from '../../errors.ts';
import type { Parameters } from '../parameters.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';
import { findClient } from './find.ts';
import type { OAuthClient } from './model.ts';

/** What a client showed of itself. */
interface Shown {
  readonly id: string;
  readonly secret: string | null;
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post';
}

/** The client that sent a form, after it has proven itself as it is registered to; throws client_invalid (RFC 6749, 2.3). */
export async function proveClient(
  server: AuthServer,
  exchange: OAuthRequest,
  form: Parameters,
): Promise<OAuthClient> {
  const shown = readShown(exchange.request.headers.get('authorization'), form);
  const client = await findClient(server, exchange, shown.id);
  const { method } = client;
  const allowed = method === 'secret' ? shown.method !== 'none' : shown.method === method;
  if (!allowed) throw invalid('The client does not prove itself as it is registered to.');
  if (client.isSecret === undefined) return client;
  if (shown.secret !== null && (await client.isSecret(shown.secret))) return client;
  throw invalid('The client secret is not right.');
}

function readShown(header: string | null, form: Parameters): Shown {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  const basic = header === null ? null : parseBasic(header);
  if (basic !== null) {
    if (secret !== undefined || (id !== undefined && id !== basic.id)) {
      throw new SvcError('request_invalid', 'The client proves itself in two ways at once.');
    }
    return { ...basic, method: 'client_secret_basic' };
  }
  if (id === undefined) throw invalid('The client did not say who it is.');
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
    if (at < 1) throw invalid('The Authorization header holds no client id and secret.');
    return { id: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)) };
  } catch {
    throw invalid('The Authorization header cannot be read.');
  }
}

/** Both parts are form-encoded before they are joined (RFC 6749, 2.3.1). */
function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function invalid(message: string): SvcError {
  return new SvcError('client_invalid', message);
}
