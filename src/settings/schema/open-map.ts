import * as v from 'valibot';
import type { JsonObject } from '../../json.ts';
import { freeMap, mapOf, strictMap } from '../../project/schema/shape.ts';

/** A map with some fixed keys. All other keys are names of the author's choice. */
export function openMap<const Entries extends v.ObjectEntries, Rest extends v.GenericSchema>(
  entries: Entries,
  rest: Rest,
) {
  const known = strictMap(entries);
  const others = mapOf(rest);
  return v.pipe(
    freeMap(),
    v.rawTransform<
      JsonObject,
      { readonly known: v.InferOutput<typeof known>; readonly others: v.InferOutput<typeof others> }
    >(({ dataset, addIssue, NEVER }) => {
      const split = Object.groupBy(Object.entries(dataset.value), ([key]) =>
        Object.hasOwn(entries, key) ? 'known' : 'others',
      );
      const first = v.safeParse(known, Object.fromEntries(split.known ?? []));
      const second = v.safeParse(others, Object.fromEntries(split.others ?? []));
      if (first.success && second.success) return { known: first.output, others: second.output };
      for (const { message, path } of [...(first.issues ?? []), ...(second.issues ?? [])]) {
        addIssue(path ? { message, path } : { message });
      }
      return NEVER;
    }),
    v.metadata({ entries, values: rest }),
  );
}
