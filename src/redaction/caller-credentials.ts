import type { RequestContext } from '../context.ts';
import { isCredentialName } from './credential-names.ts';

/** A scheme and its credential in a header, e.g. `Bearer …`. */
const SCHEME = /^[A-Za-z][\w-]*\s+(?=\S)/;

/**
 * Lists the credentials that came with a call: the headers with names of credentials, also without their scheme, and the
 * identity provider's token. SQL and Python may read them, so their errors may quote them.
 */
export function callerCredentials({
  headers,
  user,
}: Pick<RequestContext, 'headers' | 'user'>): readonly string[] {
  const sent = [...(headers() ?? [])].flatMap(([name, value]) =>
    isCredentialName(name) || name === 'dpop' ? [value, value.replace(SCHEME, '')] : [],
  );
  const token = user?.externalToken ?? null;
  return token === null ? sent : [...sent, token];
}
