import type { AnyEntry } from '../catalog/model.ts';

/** Whether scopes are all that an endpoint asks for; undefined: nobody asks for tokens. */
export function mayCall({ scopes: needed = [] }: AnyEntry, held: readonly string[] | undefined): boolean {
  return held === undefined || needed.every((scope) => held.includes(scope));
}
