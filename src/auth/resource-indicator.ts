import { SvcError } from '../errors.ts';
import type { Parameters } from './parameters.ts';
import type { PublicUrls } from './public-urls.ts';

/** Throws target_invalid for a `resource` that is not this server's (RFC 8707); absent it means this one. */
export function enforceTarget(parameters: Parameters, { resource, aliases }: PublicUrls): void {
  const asked = parameters.get('resource');
  if (asked === undefined || aliases.includes(toComparable(asked) ?? '')) return;
  throw new SvcError('target_invalid', `This server gives tokens for ${resource} only.`);
}

/** Scheme and host in lower case, without a slash at the end. */
function toComparable(text: string): string | null {
  if (!/^https?:\/\/[^\s#@\\]+$/i.test(text) || !URL.canParse(text)) return null;
  const { origin } = new URL(text);
  const path = text.replace(/^https?:\/\/[^/?]*/i, '');
  return `${origin}${path.replace(/\/$/, '')}`;
}
