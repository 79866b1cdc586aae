import { SvcError } from '../../errors.ts';
import type { Parameters } from '../parameters.ts';
import { enforceTarget } from '../resource-indicator.ts';
import { grantScopes } from '../scopes.ts';
import { issueClientToken, type TokenResponse } from '../tokens.ts';
import type { AuthServer, OAuthClient, OAuthRequest } from '../types.ts';

/** `grant_type=client_credentials`: for the operator's own confidential clients. */
export async function grantClient(
  server: AuthServer,
  oauth: OAuthRequest,
  client: OAuthClient,
  form: Parameters,
): Promise<TokenResponse> {
  if (client.kind !== 'static' || client.isSecret === undefined) {
    throw new SvcError('client_unauthorized', 'The client may not request tokens of its own.');
  }
  enforceTarget(form, oauth.urls);
  return issueClientToken(server, oauth, client, grantScopes(form, client));
}
