import { DIFFERENCES } from './differences.ts';
import type { Answer } from './engine-process.ts';

/** What was found about one statement. */
export type Verdict =
  | 'equal'
  /** `svc validate --target` names it before anybody calls it. */
  | 'found by validate'
  /** One engine ran out of time or memory, which says nothing about the answer. */
  | 'out of time or memory'
  | 'known difference'
  | 'different';

/** How many statements have each verdict, the differences that nobody knows, and the entries of the list that nothing needs. */
export interface Comparison {
  readonly counts: { readonly [verdict in Verdict]: number };
  readonly different: readonly string[];
  readonly unneeded: readonly string[];
}

/** Compares the answers of both engines to the same statements. */
export function compareAll(
  statements: readonly string[],
  wasm: readonly Answer[],
  native: readonly Answer[],
): Comparison {
  const counts = {
    equal: 0,
    'found by validate': 0,
    'out of time or memory': 0,
    'known difference': 0,
    different: 0,
  };
  const different: string[] = [];
  const needed = new Set<string>();
  for (const [index, sql] of statements.entries()) {
    const [ofWasm, ofNative] = [wasm[index], native[index]];
    if (!ofWasm || !ofNative) throw new Error(`there is no answer to ${sql}`);
    const known = DIFFERENCES.find(({ of }) => of.test(sql));
    const verdict = verdictOf(ofWasm, ofNative, known !== undefined);
    counts[verdict] += 1;
    if (verdict === 'known difference' && known) needed.add(known.reason);
    if (verdict === 'different')
      different.push(`${sql}\n  wasm   ${shown(ofWasm)}\n  native ${shown(ofNative)}`);
  }
  const unneeded = DIFFERENCES.filter(({ reason }) => !needed.has(reason)).map(({ reason }) => reason);
  return { counts, different, unneeded };
}

function verdictOf(wasm: Answer, native: Answer, isKnown: boolean): Verdict {
  if (isSame(wasm, native)) return 'equal';
  if (isKnown) return 'known difference';
  if (wasm.kind === 'error' && wasm.found) return 'found by validate';
  return isLimit(wasm) || isLimit(native) ? 'out of time or memory' : 'different';
}

/** Errors are compared by their code: their texts name types and candidates, which differ where functions are missing. */
function isSame(wasm: Answer, native: Answer): boolean {
  if (wasm.kind === 'error' && native.kind === 'error') return wasm.code === native.code;
  return JSON.stringify(wasm) === JSON.stringify(native);
}

function isLimit(answer: Answer): boolean {
  return answer.kind === 'error' && /^(deadline_exceeded|memory_exceeded)$/.test(answer.code);
}

function shown(answer: Answer): string {
  if (answer.kind === 'died') return `died: ${answer.by}`;
  const text =
    answer.kind === 'error'
      ? `${answer.code}: ${answer.message.split('\n')[0]}`
      : `${answer.types} ${answer.rows}`;
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
