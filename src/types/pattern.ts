import { type Step, toSteps } from './pattern-steps.ts';
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
      for (const index of reached) if (accepts(steps[index], code)) open.push(index + 1);
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

function accepts(step: Step | undefined, code: number): boolean {
  return code !== -1 && step?.op === 'char' && step.matches(code);
}

function holds(edge: Edge, before: number, after: number): boolean {
  if (edge === 'start') return before === -1;
  if (edge === 'end') return after === -1;
  return (isWord(before) !== isWord(after)) === (edge === 'word');
}

function isWord(code: number): boolean {
  return code !== -1 && WORD.test(String.fromCodePoint(code));
}
