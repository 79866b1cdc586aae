import type { Edge, PatternTree } from './pattern-tree.ts';

/** Tells whether an atom matches a code point. */
export type Matcher = (code: number) => boolean;

/** One step of Thompson's machine. At `split` it takes both ways at once, so it never goes back. */
export type Step =
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

/** Translates a pattern into steps, with `a{3}` written out as `aaa`. Returns null if there are too many steps. */
export function toSteps(tree: PatternTree): readonly Step[] | null {
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
