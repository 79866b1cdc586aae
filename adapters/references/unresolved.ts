import { SvcError } from '../../src/errors.ts';

/**
 * Creates the error of a reference. The reason continues the sentence "`auth.keys` is ${KEY}, which ...". Neither text
 * may contain a value or a token.
 *
 *     throw unresolved('needs Vault, which has no address.', 'Set `vault.address`, or VAULT_ADDR.');
 */
export function unresolved(reason: string, fix: string): SvcError {
  return new SvcError('reference_unresolved', `${reason}\n${fix}`);
}
