import { formsOf, splitLines } from './text-forms.ts';

/** The text that replaces a redacted value. */
export const REDACTED = '[REDACTED]';

/** The shortest text that is searched for elsewhere; a shorter one occurs in every text by chance. */
const MIN_HIDDEN = 4;
/** The most lines of all texts. Further ones are found only as a part of their text. */
const MAX_LINES = 1_000;
/** The most texts, with their lines. With more, every text is removed whole: a search would keep other calls waiting. */
const MAX_TEXTS = 2_000;
/** The most characters that one removal searches, all searches together. More would keep other calls waiting. */
const MAX_SEARCHED = 32 * 1_048_576;

/** Texts that are removed from other texts, in all their forms, and line by line. */
export interface HiddenTexts {
  add(text: string): void;
  /**
   * Replaces each text, the longest first, because one may be a part of another. A text that takes too long to search is
   * replaced whole.
   */
  remove(text: string): string;
  /** Whether there are too many texts, so that every text is replaced. */
  readonly removesAll: boolean;
  /** The characters of the longest text. */
  readonly longest: number;
  /** The number of texts that were added, without their lines. */
  readonly size: number;
  /** The texts and their lines. */
  readonly texts: readonly string[];
}

/** A text with its forms, which are made when they are first needed. */
export interface HiddenText {
  readonly text: string;
  forms: readonly string[] | null;
}

/** Sorts texts for `removeTexts`: the longest first, because one may be a part of another. */
export function longestFirst(texts: Iterable<HiddenText>): readonly HiddenText[] {
  return [...texts].toSorted((one, other) => other.text.length - one.text.length);
}

/** The characters of the longest form of all texts. */
export function longestForm(texts: readonly HiddenText[]): number {
  let longest = 0;
  for (const hidden of texts) {
    hidden.forms ??= formsOf(hidden.text);
    for (const form of hidden.forms) longest = Math.max(longest, form.length);
  }
  return longest;
}

/** Replaces each text, in all its forms. A text that needs a search of more than `most` characters is replaced whole. */
export function removeTexts(
  sorted: readonly HiddenText[],
  text: string,
  most = Number.POSITIVE_INFINITY,
): string {
  let bare = text;
  let searched = 0;
  for (const hidden of sorted) {
    // No form is shorter than its text, so most texts need no forms.
    if (hidden.text.length > bare.length) continue;
    hidden.forms ??= formsOf(hidden.text);
    for (const form of hidden.forms) {
      searched += bare.length;
      if (searched > most) return REDACTED;
      bare = bare.replaceAll(form, REDACTED);
    }
  }
  return bare;
}

/** Creates a set of hidden texts. */
export function createHiddenTexts(known: readonly string[] = []): HiddenTexts {
  const all = new Map<string, HiddenText>();
  let sorted: readonly HiddenText[] | null = null;
  let [size, lines, longest] = [0, 0, 0];
  let removesAll = false;
  const keep = (text: string): boolean => {
    if (text.length < MIN_HIDDEN || all.has(text) || removesAll) return false;
    all.set(text, { text, forms: null });
    sorted = null;
    // Also for a set that is made of the same texts: the one beyond the limit is kept.
    removesAll = all.size > MAX_TEXTS;
    return true;
  };
  const add = (text: string) => {
    if (!keep(text)) return;
    size += 1;
    longest = Math.max(longest, text.length);
    for (const line of splitLines(text, MAX_LINES)) if (lines < MAX_LINES && keep(line)) lines += 1;
  };
  for (const text of known) add(text);
  return {
    add,
    remove(text) {
      if (removesAll) return REDACTED;
      sorted ??= longestFirst(all.values());
      return removeTexts(sorted, text, MAX_SEARCHED);
    },
    get removesAll() {
      return removesAll;
    },
    get longest() {
      return longest;
    },
    get size() {
      return size;
    },
    get texts() {
      return [...all.keys()];
    },
  };
}
