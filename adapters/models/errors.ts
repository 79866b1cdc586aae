import { messageOf, SvcError } from '../../src/errors.ts';

const MOST_TEXT = 500;

/** Converts an error of either vendor's package, which are built alike. The key never appears in its text. */
export function toModelError(
  thrown: unknown,
  { name, apiKey }: { name: string; apiKey: string | null },
): SvcError {
  if (thrown instanceof SvcError) return thrown;
  const bare = (text: string) => (apiKey === null ? text : text.replaceAll(apiKey, '[REDACTED]'));
  const text = bare(messageOf(thrown));
  const shown = text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
  const status = statusOf(thrown);
  if (isTimeout(thrown)) {
    return new SvcError('deadline_exceeded', `${name} did not answer in time: ${shown}`);
  }
  if (status === 429) return new SvcError('rate_limited', `${name} received too many requests: ${shown}`);
  const hint = status === 401 || status === 403 ? ` Check \`models.${name}.api_key\`.` : '';
  const reason = causeOf(thrown);
  return new SvcError('model_failed', `${name}: ${shown}${reason ? ` (${bare(reason)})` : ''}${hint}`);
}

function statusOf(thrown: unknown): number | null {
  if (typeof thrown !== 'object' || thrown === null || !('status' in thrown)) return null;
  return typeof thrown.status === 'number' ? thrown.status : null;
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && /timeout/i.test(thrown.constructor.name);
}

/** Returns the innermost cause: the packages' own text is only `Connection error.`. */
function causeOf(thrown: unknown): string | null {
  let inner = thrown instanceof Error ? thrown.cause : null;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return inner instanceof Error ? inner.message : null;
}

/** Reads a number of tokens; some compatible services state none. */
export function tokensOf(count: unknown): number {
  return typeof count === 'number' && Number.isFinite(count) ? count : 0;
}

/** Creates the error for an answer that does not have the vendor's form. */
export function malformed(name: string, what: string): SvcError {
  return new SvcError('model_failed', `${name} answered ${what}; \`base_url\` may lead to another service.`);
}
