/** The fewest characters of a form. Forms are looked up by so many first characters. */
export const MIN_FORM = 4;
/** The most characters that searches compare. More would keep other calls waiting. */
const MAX_COMPARED = 32 * 1_048_576;
/** The price of a comparison besides its characters. */
const PRICE = 64;

/** The comparisons that the searches of a call, or of one text, may still make. */
export interface SearchWork {
  left: number;
}

export function createSearchWork(): SearchWork {
  return { left: MAX_COMPARED };
}

/** Takes a comparison from the work. Returns false if none is left. */
export function spend(work: SearchWork, characters: number): boolean {
  work.left -= characters + PRICE;
  return work.left > 0;
}

/** Many forms, which are all searched for in one pass over a text. */
export interface FormIndex<T> {
  /** Adds a form of an owner. */
  add(form: string, owner: T): void;
  /** Finds the owners of all forms in a text. Returns null if that takes too much work. */
  find(text: string, work: SearchWork): ReadonlySet<T> | null;
}

/** The owners of the forms that begin alike, by length and form. */
type Forms<T> = Map<number, Map<string, readonly T[]>>;

/** Creates an index without forms. */
export function createFormIndex<T>(): FormIndex<T> {
  const byStart = new Map<number, Forms<T>>();
  return {
    add(form, owner) {
      const key = keyOf(form);
      const forms: Forms<T> = byStart.get(key) ?? new Map();
      const alike = forms.get(form.length) ?? new Map();
      byStart.set(key, forms.set(form.length, alike.set(form, [...(alike.get(form) ?? []), owner])));
    },
    find(text, work) {
      if (work.left <= 0) return null;
      const found = new Set<T>();
      let key = 0;
      for (let index = 0; index < text.length; index += 1) {
        key = nextKey(key, text.charCodeAt(index));
        const start = index + 1 - MIN_FORM;
        const forms = start < 0 ? undefined : byStart.get(key);
        if (forms === undefined) continue;
        for (const [length, owners] of forms) {
          if (start + length > text.length) continue;
          if (!spend(work, length)) return null;
          for (const owner of owners.get(text.slice(start, start + length)) ?? []) found.add(owner);
        }
      }
      return found;
    },
  };
}

/** The key of a form's first characters. Equal keys of other characters only cost time. */
function keyOf(form: string): number {
  let key = 0;
  for (let index = 0; index < MIN_FORM; index += 1) key = nextKey(key, form.charCodeAt(index));
  return key;
}

/** The key of the last four characters: earlier ones are shifted out of its 32 bits. */
function nextKey(key: number, unit: number): number {
  return (key << 8) ^ unit;
}
