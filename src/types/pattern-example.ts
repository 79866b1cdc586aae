import { createMatcher } from './pattern-steps.ts';
import type { PatternTree } from './pattern-tree.ts';

const CANDIDATES = 'aA0-_. @/:bB1éß\t\n';
const MAX_LENGTH = 1000;

/** Builds a short text that a pattern probably matches, or returns null. It ignores `^`, `$`, `\b` and `\B`. */
export function exampleText(tree: PatternTree): string | null {
  switch (tree.kind) {
    case 'char':
      return String.fromCodePoint(tree.code);
    case 'class':
      return classText(tree.source);
    case 'edge':
      return '';
    case 'choice':
      return tree.options.map(exampleText).find((text) => text !== null) ?? null;
    case 'repeat':
      return repeated(exampleText(tree.part), Math.min(tree.max, Math.max(tree.min, 1)));
    case 'sequence':
      return joined(tree.parts.map(exampleText));
  }
}

function classText(source: string): string | null {
  const matches = createMatcher(source);
  const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  return [...CANDIDATES, ...printable].find((char) => matches(char.codePointAt(0) ?? 0)) ?? null;
}

function repeated(text: string | null, times: number): string | null {
  return text === null || text.length * times > MAX_LENGTH ? null : text.repeat(times);
}

function joined(texts: readonly (string | null)[]): string | null {
  const text = texts.join('');
  return texts.includes(null) || text.length > MAX_LENGTH ? null : text;
}
