import type { ProviderBlock } from '../../settings/model.ts';
import { misconfigured, refused } from './errors.ts';

/** The configured scopes, or the default ones. */
export function scopesOf({ scope }: ProviderBlock, defaults: readonly string[]): readonly string[] {
  const written = (scope ?? '').split(/[\s,]+/).filter((word) => word !== '');
  return written.length > 0 ? [...new Set(written)] : defaults;
}

/** Throws config_invalid without the scope `openid`, because an OpenID provider would not identify the user. */
export function enforceOpenId(provider: string, scopes: readonly string[]): void {
  if (scopes.includes('openid')) return;
  throw misconfigured({ provider }, 'needs the scope openid, and `scope` lacks it. Add it.');
}

/** Throws login_refused if a requested scope is missing. People can deselect scopes at some providers. */
export function enforceGranted(
  provider: string,
  requested: readonly string[],
  holds: (scope: string) => boolean,
): void {
  const missing = requested.filter((scope) => !holds(scope));
  if (missing.length === 0) return;
  throw refused({ provider }, `did not grant ${missing.join(', ')}. Log in again and allow it.`);
}
