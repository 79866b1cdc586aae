import { messageOf, SvcError } from '../../src/errors.ts';

/** Events on the way to a server, by which an error is explained. */
export interface Met {
  readonly url: string;
  /** Whether a token was sent. */
  readonly token: boolean;
  status: number | null;
  unreachable: unknown;
}

/** Explains why a call got no answer, and how to fix that. */
export function toCallError(thrown: unknown, met: Met): SvcError {
  const { url, status, unreachable } = met;
  const options = { cause: thrown };
  if (unreachable !== null)
    return new SvcError('address_unavailable', unreachableText(url, unreachable), options);
  if (status === 401)
    return new SvcError(met.token ? 'token_invalid' : 'token_missing', tokenText(met), options);
  if (status === 403)
    return new SvcError('denied', `${url} denies this call (403): ${messageOf(thrown)}`, options);
  if (status === 404 || status === 405) {
    const text = `There is no MCP endpoint at ${url} (${status}). Correct --url: it is the address that \`svc serve\` prints.`;
    return new SvcError('not_found', text, options);
  }
  if (status === 429)
    return new SvcError(
      'rate_limited',
      `${url} accepts no more calls for now (429). Try again later.`,
      options,
    );
  return new SvcError('request_invalid', `${url} answered: ${messageOf(thrown)}`, options);
}

function unreachableText(url: string, reason: unknown): string {
  return `Nothing answers at ${url}: ${causeOf(reason)}.
Start the server with \`svc serve\`, or give its address with --url.`;
}

function tokenText({ url, token }: Met): string {
  return token
    ? `${url} rejects this token (401): it has expired, or belongs to another server. Get a new one.`
    : `${url} requires a token (401). Put one into a variable, and name the variable: --token-env MCP_TOKEN.`;
}

function causeOf(reason: unknown): string {
  const inner = reason instanceof Error && reason.cause instanceof Error ? reason.cause : reason;
  if (!(inner instanceof Error)) return String(inner);
  return inner.message || ('code' in inner ? String(inner.code) : inner.name);
}
