import { SvcError } from '../../../src/errors.ts';
import { toMegabytes } from '../../../src/project/memory.ts';
import { type Environment, toAmount } from '../../../src/settings/environment.ts';

/** The part of a Lambda function's memory that the engine may take. */
const LAMBDA_SHARE = 0.6;

/** The megabytes that the engine may take of a function on Lambda, or on a platform built on it; undefined elsewhere. */
export function lambdaShareOf({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: size }: Environment): number | undefined {
  const megabytes = Number(size);
  return megabytes > 0 ? Math.floor(megabytes * LAMBDA_SHARE) : undefined;
}

/**
 * The memory of a wasm engine in the thread of the requests, in megabytes: the limit of queries, or `otherwise`, within
 * the memory of a function. Throws `config_invalid`.
 */
export function oneThreadMemory(env: Environment, own: number | undefined, otherwise: number): number {
  const { memoryMb = otherwise } = memoryLimitOf(env, own);
  return Math.min(memoryMb, lambdaShareOf(env) ?? memoryMb);
}

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
