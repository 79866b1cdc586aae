import { SvcError } from '../../src/errors.ts';

/** Why a reference leads nowhere, and what to do; neither may hold a value or a token. */
export function unresolved(reason: string, fix: string): SvcError {
  return new SvcError('reference_unresolved', `${reason}\n${fix}`);
}
