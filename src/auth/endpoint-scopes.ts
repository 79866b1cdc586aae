import type { AnyEntry, Catalog } from '../catalog/model.ts';

/** Every scope that an endpoint of a catalog needs. */
export function endpointScopes({ tools, resources, prompts }: Catalog): readonly string[] {
  const entries = [tools, resources, prompts].flatMap<AnyEntry>((kind) => Object.values(kind));
  return [...new Set(entries.flatMap(({ scopes = [] }) => scopes))];
}
