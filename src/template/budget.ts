import { SvcError } from '../errors.ts';
import { templateError } from './failure.ts';

/** Characters of the result, and of every text on the way to it. */
const MAX_TEXT = 1_048_576;
const MAX_STEPS = 500_000;
const MAX_CALLS = 64;

/** Characters that cost as much to go through as one node of the template. */
export const TEXT_PER_STEP = 64;

/** What one rendering may use. */
export interface Budget {
  /** Throws when the template takes too many steps. */
  step(count?: number): void;
  /** Checks the length of a text before it is made, and pays for it. */
  text(length: number): void;
  /** Runs the body of a macro, one level deeper. */
  call<T>(run: () => T): T;
}

/** A fresh budget. */
export function createBudget(): Budget {
  let steps = 0;
  let depth = 0;
  const step = (count = 1): void => {
    steps += count;
    // What is no number any more must not pass as small.
    if (!(steps <= MAX_STEPS)) {
      throw new SvcError(
        'deadline_exceeded',
        'The template takes too long to render; it loops over too much.',
      );
    }
  };
  return {
    step,
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
      if (depth >= MAX_CALLS)
        throw templateError(`macros call each other more than ${MAX_CALLS} levels deep`);
      depth += 1;
      try {
        return run();
      } finally {
        depth -= 1;
      }
    },
  };
}

/** Collects text within a budget. */
export interface Writer {
  write(text: string): void;
  text(): string;
}

/** An empty text that grows. */
export function createWriter(budget: Budget): Writer {
  const parts: string[] = [];
  let length = 0;
  return {
    write(text) {
      length += text.length;
      budget.step(text.length / TEXT_PER_STEP);
      if (length > MAX_TEXT) budget.text(length);
      parts.push(text);
    },
    text: () => parts.join(''),
  };
}
