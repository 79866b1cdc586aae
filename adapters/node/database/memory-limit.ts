import { SvcError } from '../../../src/errors.ts';
import { toMegabytes } from '../../../src/project/memory.ts';
import { type Environment, toAmount } from '../../../src/settings/environment.ts';

/**
 * The memory limit of queries, in megabytes: SVC_DATABASE_MEMORY_LIMIT, or the own one; `{}` without either. Throws
 * `config_invalid`.
 */
export function memoryLimitOf(
  { SVC_DATABASE_MEMORY_LIMIT: text = '' }: Environment,
  own: number | null = null,
): { readonly memoryMb?: number } {
  const asked = text.trim();
  const memoryMb = asked === '' ? own : toMegabytes(toAmount(asked) ?? '');
  if (memoryMb !== null) return { memoryMb };
  if (asked === '') return {};
  throw new SvcError(
    'config_invalid',
    `SVC_DATABASE_MEMORY_LIMIT is ${asked}, but must be an amount such as 512MB.`,
  );
}
