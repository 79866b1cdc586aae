import { type Edge, PatternRejection, type PatternTree, parsePattern } from './pattern-tree.ts';

/** A compiled `pattern`. */
export interface Pattern {
  readonly tree: PatternTree;
  /** Whether a text matches; null if finding out takes more work than is left. */
  readonly test: (text: string, work?: PatternWork) => boolean | null;
}

/**
 * The work that the patterns of one validation may still take. A character costs one look-up if a text before it led from the
 * same state on, so an ordinary text takes hardly any work. The limit bounds the time and the memory of texts that reach ever
 * new states.
 */
export interface PatternWork {
  left: number;
  /** The states that texts have reached, of each machine. */
  readonly states: Map<readonly Step[], Map<string, State>>;
}

export function createPatternWork(): PatternWork {
  return { left: MAX_WORK, states: new Map() };
}

/** The most work for all texts of a validation, in steps. */
export const MAX_WORK = 1_000_000;
/** The most work for one text. */
const MAX_TEXT_WORK = 500_000;
/** The price of a new way between two states, besides its steps. */
const PRICE = 16;
const WORD = /^[A-Za-z0-9_]$/;

/** One step of Thompson's machine. At `split` it takes both ways at once, so it never goes back. */
type Step =
  | { readonly op: 'match' }
  | { readonly op: 'char'; readonly matches: Matcher }
  | { readonly op: 'edge'; readonly edge: Edge }
  | Split;

interface Split {
  readonly op: 'split';
  first: number;
  second: number;
}

interface Draft {
  readonly steps: Step[];
  readonly matchers: Map<string, Matcher>;
  emits: number;
}

const MAX_STEPS = 2000;
/** Repeating an empty group takes time although it makes no steps. */
const MAX_EMITS = 20_000;

/** Compiles a JavaScript regular expression (flag `u`) to a matcher that never backtracks, or says why it cannot. */
export function compilePattern(source: string): Pattern | PatternRejection {
  const tree = parsePattern(source);
  if (tree instanceof PatternRejection) return tree;
  const steps = toSteps(tree);
  if (steps === null) return new PatternRejection('is too large once its repetitions are written out');
  return { tree, test: createTest(steps) };
}

/** The place of a machine between two characters. */
interface State {
  /** The steps to which the text has led. */
  readonly open: readonly number[];
  /** A character of the same kind as the one before. Edges ask for the kind only. */
  readonly before: number;
  /** The states after each next character, as far as they are known; null after a match. */
  readonly next: Map<number, State | null>;
}

function createTest(steps: readonly Step[]): Pattern['test'] {
  const follow = createFollow(steps);
  return (text, work = createPatternWork()) => {
    const states = work.states.get(steps) ?? new Map([['', { open: [], before: END, next: new Map() }]]);
    work.states.set(steps, states);
    const least = Math.max(0, work.left - MAX_TEXT_WORK);
    let state = states.get('');
    for (let at = 0; state !== undefined && at <= text.length; ) {
      const code = text.codePointAt(at) ?? END;
      let next = state.next.get(code);
      if (next === undefined) {
        if (work.left <= least) return null;
        next = follow(states, state, code, work);
        state.next.set(code, next);
      }
      if (next === null) return true;
      state = next;
      at += code > 0xffff ? 2 : 1;
    }
    return false;
  };
}

type Follow = (states: Map<string, State>, from: State, code: number, work: PatternWork) => State | null;

/** Finds the state after a character, or null after a match. It follows each step that takes no character once. */
function createFollow(steps: readonly Step[]): Follow {
  const seen = new Float64Array(steps.length);
  const asksForWords = steps.some(
    (step) => step.op === 'edge' && step.edge !== 'start' && step.edge !== 'end',
  );
  let mark = 0;
  return (states, { open: reached, before }, code, work) => {
    // A match may start at any character, unless the pattern says otherwise.
    const open = [...reached, 0];
    const next: number[] = [];
    mark += 1;
    work.left -= PRICE;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const step = steps[at];
      if (step === undefined || seen[at] === mark) continue;
      seen[at] = mark;
      work.left -= 1;
      if (step.op === 'match') return null;
      if (step.op === 'split') open.push(step.second, step.first);
      else if (step.op === 'edge') {
        if (holds(step.edge, before, code)) open.push(at + 1);
      } else if (code !== END && step.matches(code)) next.push(at + 1);
    }
    const sorted = Uint16Array.from(next).sort();
    const kind = asksForWords && isWord(code) ? A_WORD : NO_WORD;
    const key = String.fromCharCode(kind, ...sorted);
    const state = states.get(key) ?? { open: [...sorted], before: kind, next: new Map() };
    states.set(key, state);
    return state;
  };
}

/** Characters that stand for all of their kind. */
const [A_WORD, NO_WORD] = [97, 32];

/** Stands for the missing character before and after a text. */
const END = -1;

function holds(edge: Edge, before: number, after: number): boolean {
  if (edge === 'start') return before === END;
  if (edge === 'end') return after === END;
  return (isWord(before) !== isWord(after)) === (edge === 'word');
}

function isWord(code: number): boolean {
  return code !== END && WORD.test(String.fromCodePoint(code));
}

/** Tells whether an atom matches a code point. */
type Matcher = (code: number) => boolean;

/** Translates a pattern into steps, with `a{3}` written out as `aaa`. Returns null if there are too many steps. */
function toSteps(tree: PatternTree): readonly Step[] | null {
  const draft: Draft = { steps: [], matchers: new Map(), emits: 0 };
  return emit(draft, tree) ? [...draft.steps, { op: 'match' }] : null;
}

/** Creates a matcher of one code point that asks JavaScript's own `RegExp`, and caches the answers for ASCII. */
export function createMatcher(source: string): Matcher {
  const native = new RegExp(`^${source}$`, 'u');
  const ascii = Array.from({ length: 128 }, (_, code) => native.test(String.fromCharCode(code)));
  return (code) => ascii[code] ?? native.test(String.fromCodePoint(code));
}

function emit(draft: Draft, node: PatternTree): boolean {
  draft.emits += 1;
  if (draft.emits > MAX_EMITS || draft.steps.length >= MAX_STEPS) return false;
  switch (node.kind) {
    case 'char':
      return push(draft, { op: 'char', matches: (code) => code === node.code });
    case 'class':
      return push(draft, { op: 'char', matches: matcherOf(draft, node.source) });
    case 'edge':
      return push(draft, { op: 'edge', edge: node.edge });
    case 'sequence':
      return node.parts.every((part) => emit(draft, part));
    case 'choice':
      return emitChoice(draft, node.options);
    case 'repeat':
      return emitRepeat(draft, node);
  }
}

function emitChoice(draft: Draft, options: readonly PatternTree[]): boolean {
  const exits: Split[] = [];
  for (const option of options.slice(0, -1)) {
    const fork = pushSplit(draft);
    if (!emit(draft, option)) return false;
    exits.push(pushSplit(draft));
    fork.second = draft.steps.length;
  }
  if (!options.slice(-1).every((option) => emit(draft, option))) return false;
  for (const exit of exits) exit.first = exit.second = draft.steps.length;
  return true;
}

function emitRepeat(draft: Draft, node: Extract<PatternTree, { kind: 'repeat' }>): boolean {
  const { part, min, max } = node;
  for (let count = 0; count < min; count += 1) if (!emit(draft, part)) return false;
  if (max === Number.POSITIVE_INFINITY) return emitLoop(draft, part);
  const forks: Split[] = [];
  for (let count = min; count < max; count += 1) {
    forks.push(pushSplit(draft));
    if (!emit(draft, part)) return false;
  }
  for (const fork of forks) fork.second = draft.steps.length;
  return true;
}

function emitLoop(draft: Draft, part: PatternTree): boolean {
  const start = draft.steps.length;
  const fork = pushSplit(draft);
  if (!emit(draft, part)) return false;
  const back = pushSplit(draft);
  back.first = back.second = start;
  fork.second = draft.steps.length;
  return true;
}

/** Adds a split whose two ways lead to the next step. The caller changes them later. */
function pushSplit(draft: Draft): Split {
  const next = draft.steps.length + 1;
  const split: Split = { op: 'split', first: next, second: next };
  draft.steps.push(split);
  return split;
}

function push(draft: Draft, step: Step): boolean {
  draft.steps.push(step);
  return true;
}

function matcherOf({ matchers }: Draft, source: string): Matcher {
  const matcher = matchers.get(source) ?? createMatcher(source);
  matchers.set(source, matcher);
  return matcher;
}
