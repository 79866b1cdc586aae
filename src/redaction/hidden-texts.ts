import { createFormIndex, createSearchWork, MIN_FORM, type SearchWork, spend } from './form-index.ts';
import { formsOf, splitLines } from './text-forms.ts';

/** The text that replaces a redacted value. */
export const REDACTED = '[REDACTED]';

/** The shortest text that is searched for elsewhere; a shorter one occurs in every text by chance. */
const MIN_HIDDEN = MIN_FORM;
/** The most lines of all texts. Further ones are found only as a part of their text. */
const MAX_LINES = 1_000;
/** The most texts, with their lines. With more, every text is removed whole: a search would keep other calls waiting. */
const MAX_TEXTS = 2_000;
/** The most texts that are searched for one after the other. More are searched for in one pass. */
const MAX_SEARCHES = 8;
/** The most characters of a text that is searched for in one pass with others. A call cannot have many longer ones. */
const MAX_INDEXED = 8_192;
/** The most characters that one removal searches, all searches together. More would keep other calls waiting. */
const MAX_SEARCHED = 32 * 1_048_576;

/** Texts that are removed from other texts, in all their forms, and line by line. */
export interface HiddenTexts {
  add(text: string): void;
  /**
   * Replaces each text, the longest first, because one may be a part of another. A text that takes too long to search is
   * replaced whole. Pass the same `work` for all texts of a call, so that together they do not take too long.
   */
  remove(text: string, work?: SearchWork): string;
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

function formsIn(hidden: HiddenText): readonly string[] {
  hidden.forms ??= formsOf(hidden.text);
  return hidden.forms;
}

/** The characters of the longest form of all texts. */
export function longestForm(texts: readonly HiddenText[]): number {
  let longest = 0;
  for (const hidden of texts) {
    for (const form of formsIn(hidden)) longest = Math.max(longest, form.length);
  }
  return longest;
}

/** Replaces each text, in all its forms. A text is replaced whole if `may` refuses to search so many characters again. */
export function removeTexts(
  sorted: readonly HiddenText[],
  text: string,
  may: (characters: number) => boolean = () => true,
): string {
  let bare = text;
  for (const hidden of sorted) {
    // No form is shorter than its text, so most texts need no forms.
    if (hidden.text.length > bare.length) continue;
    for (const form of formsIn(hidden)) {
      if (!may(bare.length)) return REDACTED;
      bare = bare.replaceAll(form, REDACTED);
    }
  }
  return bare;
}

/** Creates a set of hidden texts. */
export function createHiddenTexts(known: readonly string[] = []): HiddenTexts {
  const all = new Map<string, HiddenText>();
  const many = createManyTexts();
  let sorted: readonly HiddenText[] | null = null;
  let [size, lines, longest] = [0, 0, 0];
  let removesAll = false;
  const keep = (text: string): boolean => {
    if (text.length < MIN_HIDDEN || all.has(text) || removesAll) return false;
    const one = { text, forms: null };
    all.set(text, one);
    many.add(one);
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
    remove(text, work = createSearchWork()) {
      if (removesAll) return REDACTED;
      if (all.size > MAX_SEARCHES) return many.remove(text, work);
      sorted ??= longestFirst(all.values());
      let left = MAX_SEARCHED;
      return removeTexts(sorted, text, (characters) => {
        left -= characters;
        return left >= 0;
      });
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

/** Many texts. One pass over a text finds those that are in it, and only these are replaced. */
interface ManyTexts {
  add(hidden: HiddenText): void;
  remove(text: string, work: SearchWork): string;
}

function createManyTexts(): ManyTexts {
  const index = createFormIndex<HiddenText>();
  let long: HiddenText[] = [];
  /** The texts whose forms are not in the index yet, the shortest last. */
  let waiting: HiddenText[] = [];
  let isSorted = true;
  /** For each text in the index, the number of all forms of longer texts. */
  let before = new Map<HiddenText, number>();
  let forms = 0;
  const sort = () => {
    if (isSorted) return;
    long = [...longestFirst(long)];
    waiting = [...longestFirst(waiting)];
    isSorted = true;
  };
  const prepare = (length: number) => {
    // No form is shorter than its text.
    const ready = waiting.splice(waiting.findLastIndex((hidden) => hidden.text.length > length) + 1);
    if (ready.length === 0) return;
    for (const hidden of ready) for (const form of formsIn(hidden)) index.add(form, hidden);
    forms = 0;
    before = new Map(
      longestFirst([...before.keys(), ...ready]).map((hidden) => {
        forms += formsIn(hidden).length;
        return [hidden, forms - formsIn(hidden).length];
      }),
    );
  };
  const order = (hidden: HiddenText) => before.get(hidden) ?? 0;
  return {
    add(hidden) {
      (hidden.text.length > MAX_INDEXED ? long : waiting).push(hidden);
      isSorted = false;
    },
    remove(text, work) {
      sort();
      // The characters that a search for each form would read. Beyond the limit, the text is so long that parts of hidden
      // texts may be in it, which no search finds.
      let searched = 0;
      const may = (characters: number) => {
        searched += characters;
        return searched <= MAX_SEARCHED && spend(work, characters);
      };
      let bare = removeTexts(long, text, may);
      prepare(bare.length);
      const found = index.find(bare, work);
      if (found === null) return REDACTED;
      let done = 0;
      for (const hidden of [...found].toSorted((one, other) => order(one) - order(other))) {
        searched += bare.length * (order(hidden) - done);
        bare = removeTexts([hidden], bare, may);
        done = order(hidden) + formsIn(hidden).length;
      }
      return searched + bare.length * (forms - done) > MAX_SEARCHED ? REDACTED : bare;
    },
  };
}
