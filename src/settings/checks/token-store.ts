import type { Finding } from '../../project/finding.ts';
import type { ParsedActive } from '../schema/user.ts';
import { type Pointed, point } from './settings.ts';

/** The keys of each type of store. Those in `needs` are required. */
const STORES = {
  sqlite: { needs: [], takes: ['path', 'auth_encryption_key'] },
  dynamodb: { needs: ['table'], takes: ['table', 'region', 'endpoint'] },
  d1: { needs: ['binding'], takes: ['binding'] },
} as const satisfies Record<string, { readonly needs: readonly string[]; readonly takes: readonly string[] }>;

/** Checks whether `auth.persistence` has the keys that its type needs, and no others. */
export function checkStore({ profile }: ParsedActive, at: Pointed): readonly Finding[] {
  const persistence = profile?.auth?.persistence;
  if (!persistence) return [];
  const type = persistence.type ?? 'sqlite';
  const { needs, takes }: { readonly needs: readonly string[]; readonly takes: readonly string[] } =
    STORES[type];
  const written = Object.entries(persistence).flatMap(([key, value]) =>
    key === 'type' || value === undefined || value === null ? [] : [key],
  );
  const missing = needs.filter((key) => !written.includes(key));
  const foreign = written.filter((key) => !takes.includes(key));
  return [
    ...missing.map((key) =>
      point(at, ['profile', 'auth', 'persistence', 'type'], {
        code: 'missing-field',
        message: `is ${type}, which needs \`${key}\`.`,
        fix: `Add \`${key}\`.`,
      }),
    ),
    ...foreign.map((key) =>
      point(at, ['profile', 'auth', 'persistence', key], {
        code: 'wrong-value',
        message: `has no meaning for a store of type ${type}.`,
        fix: `Remove it, or choose another \`type\`; ${type} takes ${takes.join(', ')}.`,
      }),
    ),
  ];
}
