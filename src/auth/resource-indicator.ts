import { SvcError } from '../errors.ts';
import type { Parameters } from './parameters.ts';
import type { PublicUrls } from './public-urls.ts';

/** Throws target_invalid for another server's `resource` (RFC 8707). An absent one means this server. */
export function enforceTarget(parameters: Parameters, { resource, aliases }: PublicUrls): void {
  const asked = parameters.get('resource');
  if (asked === undefined || aliases.includes(toComparable(asked) ?? '')) return;
  throw new SvcError('target_invalid', `This server issues tokens for ${resource} only.`);
}

/**
 * Writes scheme and host in lower case, without a trailing slash and without the choices of a toolset and of
 * schemas, which belong to the same server; null for an invalid URL.
 */
function toComparable(text: string): string | null {
  if (!/^https?:\/\/[^\s#@\\]+$/i.test(text) || !URL.canParse(text)) return null;
  const { origin } = new URL(text);
  const path = text
    .replace(/^https?:\/\/[^/?]*/i, '')
    .replace(/\?(?:(?:tags|schema_profile)=[^?&]*(?:&|$))+$/, '');
  return `${origin}${path.replace(/\/$/, '')}`;
}
