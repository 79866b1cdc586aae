import { type Edge, PatternRejection, type PatternTree, parsePattern } from './pattern-tree.ts';

/** A compiled `pattern`. A test takes time in proportion to the length of the text, for every pattern. */
export interface Pattern {
  readonly tree: PatternTree;
  /** The largest number of characters to test. Callers refuse longer texts, which bounds the time of one test. */
  readonly maxText: number;
  readonly test: (text: string) => boolean;
}

const MAX_WORK = 5_000_000;
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
  return { tree, maxText: Math.floor(MAX_WORK / steps.length), test: createTest(steps) };
}

function createTest(steps: readonly Step[]): (text: string) => boolean {
  const reach = createReach(steps);
  return (text) => {
    const open: number[] = [];
    let before = -1;
    for (let at = 0; at <= text.length; at += before > 0xffff ? 2 : 1) {
      const code = text.codePointAt(at) ?? -1;
      // A match may start at any character, unless the pattern says otherwise.
      open.push(0);
      const reached = reach(open, before, code);
      if (reached === null) return true;
      for (const index of reached) {
        const step = steps[index];
        if (code !== -1 && step?.op === 'char' && step.matches(code)) open.push(index + 1);
      }
      before = code;
    }
    return false;
  };
}

type Reach = (open: number[], before: number, after: number) => readonly number[] | null;

/** Follows the steps that take no character, each once. Returns the steps that wait for one, or null after a match. */
function createReach(steps: readonly Step[]): Reach {
  const seen = new Float64Array(steps.length);
  const reached: number[] = [];
  let mark = 0;
  return (open, before, after) => {
    mark += 1;
    reached.length = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const step = steps[at];
      if (step === undefined || seen[at] === mark) continue;
      seen[at] = mark;
      if (step.op === 'match') return null;
      if (step.op === 'char') reached.push(at);
      else if (step.op === 'split') open.push(step.second, step.first);
      else if (holds(step.edge, before, after)) open.push(at + 1);
    }
    return reached;
  };
}

function holds(edge: Edge, before: number, after: number): boolean {
  if (edge === 'start') return before === -1;
  if (edge === 'end') return after === -1;
  return (isWord(before) !== isWord(after)) === (edge === 'word');
}

function isWord(code: number): boolean {
  return code !== -1 && WORD.test(String.fromCodePoint(code));
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
