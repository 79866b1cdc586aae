import { findResource } from './find.ts';
import type { AnyEntry, Catalog, CompiledSource, PromptEntry, ResourceEntry } from './model.ts';

/**
 * The sources that a call of an entry may run: its own, or those of the resources that a prompt may embed. A URI with a
 * template may name each resource that begins like it.
 */
export function runSources(entry: AnyEntry, catalog: Catalog): readonly CompiledSource[] {
  if (entry.kind !== 'prompt') return [entry.source];
  return embeddedBy(entry, catalog).map(({ source }) => source);
}

/** Whether a call of an entry may write to the database. */
export function mayWrite(entry: AnyEntry, catalog: Catalog): boolean {
  return runSources(entry, catalog).some(({ mode }) => mode === 'write');
}

function embeddedBy({ messages }: PromptEntry, catalog: Catalog): readonly ResourceEntry[] {
  return messages.flatMap(({ type, prompt }) => {
    if (type !== 'resource') return [];
    const [before = ''] = prompt.split(/\{[{%#]/, 1);
    const start = before.trim();
    if (before === prompt) return findResource(catalog, start)?.entry ?? [];
    return Object.values(catalog.resources).filter(({ template: { literals } }) => {
      const [first = ''] = literals;
      return first.startsWith(start) || start.startsWith(first);
    });
  });
}
