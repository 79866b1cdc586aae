import { SvcError } from '../../errors.ts';
import { authenticateClient } from '../clients/authenticate.ts';
import { grantClient } from '../grants/client.ts';
import { redeemCode } from '../grants/code.ts';
import { refreshTokens } from '../grants/refresh.ts';
import { need } from '../parameters.ts';
import type { GrantType, RouteHandler } from '../types.ts';

const GRANTS = {
  authorization_code: redeemCode,
  refresh_token: refreshTokens,
  client_credentials: grantClient,
} as const satisfies { readonly [type in GrantType]: unknown };

/** `POST /token` (RFC 6749, 3.2). */
export const token: RouteHandler = async (server, oauth) => {
  const form = await oauth.form();
  const client = await authenticateClient(server, oauth, form);
  const type = need(form, 'grant_type');
  if (!isGrant(type)) throw new SvcError('grant_unsupported', 'The grant type is not supported here.');
  // Without a store there are no refresh tokens, whatever the client is registered for.
  if (!client.grantTypes.includes(type)) {
    throw new SvcError('client_unauthorized', 'The client may not use this grant type.');
  }
  const answer = await GRANTS[type](server, oauth, client, form);
  return Response.json(answer, { headers: { 'cache-control': 'no-store', pragma: 'no-cache' } });
};

function isGrant(type: string): type is GrantType {
  return Object.hasOwn(GRANTS, type);
}
