import { SvcError } from '../../src/errors.ts';
import { enforceStore, type OpenStore } from '../artefact/auth.ts';
import type { D1 } from './token-store.ts';

/** Returns a function that opens the D1 database which `auth.persistence.binding` names among the bindings. */
export function storeAmong(bindings: object): OpenStore {
  return async (persistence) => {
    const { binding } = enforceStore(persistence, 'd1');
    const bound: unknown = Object.entries(bindings).find(([name]) => name === binding)?.[1];
    if (!isD1(bound)) throw notBound(binding);
    const { createD1Store } = await import('./token-store.ts');
    return createD1Store(bound);
  };
}

function isD1(value: unknown): value is D1 {
  return typeof value === 'object' && value !== null && 'prepare' in value && 'batch' in value;
}

function notBound(binding: string): SvcError {
  return new SvcError(
    'config_invalid',
    `\`auth.persistence.binding\` is ${binding}, but no D1 database is bound by that name.
Create one with \`npx wrangler d1 create\`, and add it to wrangler.toml under [[d1_databases]].`,
  );
}
