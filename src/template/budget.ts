import { SvcError } from '../errors.ts';
import { templateError } from './value.ts';

/** The largest number of characters of the result and of every text made on the way to it. */
const MAX_TEXT = 1_048_576;
const MAX_STEPS = 500_000;
const MAX_CALLS = 64;

/** Reading this many characters costs one step, as one node of the template does. */
const TEXT_PER_STEP = 64;
const ITEMS_PER_STEP = 16;
const KEYS_PER_STEP = 4;
const COMPARISONS_PER_STEP = 2000;

/** Bounds the work of one rendering. Every method throws when the template asks for more than is left. */
export interface Budget {
  /** Pays for a number of steps, by default one. Throws `deadline_exceeded`. */
  step(count?: number): void;
  /** Pays for going through so many items of a list, or characters of a text one by one. */
  items(count: number): void;
  /** Pays for going through so many keys of an object. */
  keys(count: number): void;
  /** Pays for reading so many characters. */
  read(length: number): void;
  /** Pays for a text before it is made. Throws `result_too_large` when it is too long. */
  text(length: number): void;
  /** Pays for finding one text in another: in the worst case V8 compares each character with each. */
  search(length: number, part: number): void;
  /** Runs the body of a macro one level deeper. Throws when macros are nested too deep. */
  call<T>(run: () => T): T;
}

/** Creates the budget of one rendering. */
export function createBudget(): Budget {
  let steps = 0;
  let depth = 0;
  const step = (count = 1): void => {
    steps += count;
    // Written this way round, the condition also catches NaN.
    if (!(steps <= MAX_STEPS)) {
      throw new SvcError(
        'deadline_exceeded',
        'The template takes too long to render, because it goes through too much data.',
      );
    }
  };
  return {
    step,
    items: (count) => step(count / ITEMS_PER_STEP),
    keys: (count) => step(count / KEYS_PER_STEP),
    read: (length) => step(length / TEXT_PER_STEP),
    search: (length, part) => step(length / TEXT_PER_STEP + (length * part) / COMPARISONS_PER_STEP),
    text(length) {
      if (length > MAX_TEXT) {
        throw new SvcError(
          'result_too_large',
          `The template makes a text of more than ${MAX_TEXT} characters.`,
        );
      }
      step(length / TEXT_PER_STEP);
    },
    call(run) {
      if (depth >= MAX_CALLS) throw templateError(`more than ${MAX_CALLS} macros call each other`);
      depth += 1;
      try {
        return run();
      } finally {
        depth -= 1;
      }
    },
  };
}

/** Collects text and pays for it. */
export interface Writer {
  write(text: string): void;
  text(): string;
}

/** Creates an empty text that grows. */
export function createWriter(budget: Budget): Writer {
  const parts: string[] = [];
  let length = 0;
  return {
    write(text) {
      length += text.length;
      budget.read(text.length);
      if (length > MAX_TEXT) budget.text(length);
      parts.push(text);
    },
    text: () => parts.join(''),
  };
}
