import { SvcError } from '../../src/errors.ts';
import type { TokenStore } from '../../src/ports.ts';
import type { Persistence } from '../../src/settings/model.ts';

/** Opens the one type of store that a platform has; throws config_invalid for another. */
export type OpenStore = (persistence: Persistence) => Promise<TokenStore>;

/** The settings of the type that a platform can use; throws config_invalid for another. */
export function enforceStore<Type extends Persistence['type']>(
  persistence: Persistence,
  usable: Type,
): Extract<Persistence, { readonly type: Type }> {
  if (isOf(persistence, usable)) return persistence;
  throw new SvcError(
    'config_invalid',
    `\`auth.persistence.type\` is ${persistence.type}, which cannot be used here: here it is ${usable}.
Choose sqlite for \`svc serve\`, dynamodb on AWS Lambda, d1 on Cloudflare Workers, or leave \`auth.persistence\` out.`,
  );
}

function isOf<Type extends Persistence['type']>(
  persistence: Persistence,
  type: Type,
): persistence is Extract<Persistence, { readonly type: Type }> {
  return persistence.type === type;
}
