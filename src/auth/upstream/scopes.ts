import type { ProviderBlock } from '../../settings/model.ts';
import { misconfigured, refused } from './errors.ts';

/** The scopes of a block, or the ones that identity needs. */
export function scopesOf({ scope }: ProviderBlock, usual: readonly string[]): readonly string[] {
  const written = (scope ?? '').split(/[\s,]+/).filter((word) => word !== '');
  return written.length > 0 ? [...new Set(written)] : usual;
}

/** Without `openid` an OpenID provider says nothing about anybody. */
export function enforceOpenId(provider: string, scopes: readonly string[]): void {
  if (scopes.includes('openid')) return;
  throw misconfigured({ provider }, 'needs the scope openid, and `scope` lacks it. Add it.');
}

/** People may untick scopes: what the operator asked for must all be there. */
export function enforceGranted(
  provider: string,
  asked: readonly string[],
  holds: (scope: string) => boolean,
): void {
  const lacking = asked.filter((scope) => !holds(scope));
  if (lacking.length === 0) return;
  throw refused({ provider }, `was not allowed to give ${lacking.join(', ')}. Log in again and allow it.`);
}
