import { parse } from '@bufbuild/cel';
import { RE2JS } from '@bufbuild/re2';
import { messageOf } from '../../errors.ts';

/** A node of a condition's syntax tree. */
export type Expr = NonNullable<ReturnType<typeof parse>['expr']>;

/** The reason why a condition cannot be used, and the fix. */
export interface ConditionIssue {
  readonly message: string;
  readonly fix: string;
}

type Parsed = { readonly expr: Expr } | { readonly problem: ConditionIssue };

const MAX_LENGTH = 4096;
const MAX_DEPTH = 64;

/** Parses a condition to its syntax tree, or returns the reason why that fails. */
export function parseCondition(text: string): Parsed {
  if (text.length > MAX_LENGTH) return tooLong(text.length);
  if (text.trim() === '') return syntaxProblem('it is empty');
  if (opensDeeper(text, MAX_DEPTH)) return tooDeep();
  try {
    const { expr } = parse(text);
    if (expr === undefined) return syntaxProblem('it is empty');
    if (isDeeper(expr, MAX_DEPTH)) return tooDeep();
    const problem = patternProblem(expr);
    return problem === null ? { expr } : { problem };
  } catch (thrown) {
    const why = toReadable(thrown);
    return syntaxProblem(why, nameFix(text, why));
  }
}

/** The direct children of a node, in the order of the text. */
export function childrenOf({ exprKind: { case: kind, value } }: Expr): readonly Expr[] {
  switch (kind) {
    case 'callExpr':
      return value.target === undefined ? value.args : [value.target, ...value.args];
    case 'selectExpr':
      return present([value.operand]);
    case 'listExpr':
      return value.elements;
    case 'structExpr':
      return present(
        value.entries.flatMap((entry) => [
          entry.keyKind.case === 'mapKey' ? entry.keyKind.value : undefined,
          entry.value,
        ]),
      );
    case 'comprehensionExpr':
      return present([value.iterRange, value.accuInit, value.loopCondition, value.loopStep, value.result]);
    default:
      return [];
  }
}

function present(parts: readonly (Expr | undefined)[]): readonly Expr[] {
  return parts.filter((part) => part !== undefined);
}

function isDeeper(expr: Expr, limit: number): boolean {
  return limit === 0 || childrenOf(expr).some((child) => isDeeper(child, limit - 1));
}

/** Strings and comments of CEL, then brackets. A string that is never closed ends with its line. */
const BRACKETS =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\/\/[^\n]*|[([{]|[)\]}]/g;

/** Whether brackets are open inside each other too deep. The parser would need seconds to find that out. */
function opensDeeper(text: string, limit: number): boolean {
  let depth = 0;
  for (const [found] of text.matchAll(BRACKETS)) {
    if ('([{'.includes(found)) depth += 1;
    else if (')]}'.includes(found)) depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}

/** Patterns must be literals. A caller's pattern could be expensive, and a wrong literal is found here. */
function patternProblem(expr: Expr): ConditionIssue | null {
  const { case: kind, value } = expr.exprKind;
  if (kind === 'callExpr' && value.function === 'matches') {
    const problem = literalPatternProblem(value.args.at(-1));
    if (problem !== null) return problem;
  }
  for (const child of childrenOf(expr)) {
    const problem = patternProblem(child);
    if (problem !== null) return problem;
  }
  return null;
}

function literalPatternProblem(pattern: Expr | undefined): ConditionIssue | null {
  const literal = pattern?.exprKind.case === 'constExpr' ? pattern.exprKind.value.constantKind : undefined;
  if (literal?.case !== 'stringValue') {
    return {
      message: 'The pattern of matches() is not a literal text.',
      fix: "Write the pattern into the condition, e.g. user.email.matches('@acme[.]com$').",
    };
  }
  try {
    RE2JS.compile(literal.value);
    return null;
  } catch (thrown) {
    return {
      message: `The pattern ${JSON.stringify(literal.value)} is not valid: ${messageOf(thrown)}.`,
      fix: 'Write a pattern in RE2 syntax (no look-around, no back-references).',
    };
  }
}

function tooLong(length: number): Parsed {
  return {
    problem: {
      message: `The condition has ${length} characters; at most ${MAX_LENGTH} are allowed.`,
      fix: 'Split it into several rules.',
    },
  };
}

function tooDeep(): Parsed {
  return {
    problem: {
      message: `The condition is nested more than ${MAX_DEPTH} levels deep.`,
      fix: 'Split it into several rules.',
    },
  };
}

function syntaxProblem(
  why: string,
  fix = "Write one expression that is true or false, e.g. user.role != 'admin'.",
): Parsed {
  return { problem: { message: `The condition is not a valid CEL expression: ${why}.`, fix } };
}

/** The fix for a name that SQL may have, and CEL may not. */
function nameFix(text: string, why: string): string | undefined {
  if (why.includes('reserved identifier'))
    return 'Give the parameter another name: `package`, `function`, `return` and other words of CEL are no names there.';
  return /[^\p{ASCII}]/u.test(text.replaceAll(BRACKETS, '')) ? ASCII_NAMES : undefined;
}

const ASCII_NAMES =
  'Give the parameter a name of the letters A to Z and a to z, digits and `_`: conditions read no other.';

/**
 * Converts `<input>:1:3: found + but expecting ...` to a position.
 * The list of expected tokens is dropped, because it names all.
 */
function toReadable(thrown: unknown): string {
  const text = messageOf(thrown);
  const place = /^<input>:(\d+):(\d+): found/.exec(text);
  return place === null ? text : `the parser stopped at line ${place[1]}, column ${place[2]}`;
}
