/** A module that a Python file names in an import, and where. */
export interface PythonImport {
  /** As it is written, with leading dots for relative ones. */
  readonly module: string;
  /** `from x import y` may mean the module x.y. */
  readonly names: readonly string[];
  readonly line: number;
  readonly column: number;
  /** In a `try:`: the file has something else to do where the module is missing. */
  readonly guarded: boolean;
}

/** A piece of a Python file that needs what a platform may not have. */
export interface PythonUse {
  readonly what: string;
  readonly line: number;
  readonly column: number;
}

const TEXTS =
  /[rbfutRBFUT]{0,2}("""|''')(?:\\[\s\S]|(?!\1)[^\\])*\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*/g;
const IMPORT =
  /(?<=^|[;:])([ \t]*)(?:import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*)|from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]*))/gm;

/** The code of a file without its comments and texts; every line and column stays where it was. */
function withoutTexts(source: string): string {
  return source
    .replaceAll('\r\n', '\n')
    .replaceAll('\\\n', ' \n')
    .replace(TEXTS, (text) => text.replaceAll(/[^\n]/g, ' '));
}

/** Every import of a file but those that only type checkers read. */
export function importsOf(source: string): readonly PythonImport[] {
  const code = withoutTexts(source);
  const lines = code.split('\n');
  return [...code.matchAll(IMPORT)].flatMap((match) => {
    const [, indent = '', several, from, names = ''] = match;
    const place = placeAt(code, match.index + indent.length);
    const block = blockOf(lines, place.line - 1);
    if (block === 'types') return [];
    const found = { ...place, guarded: block === 'try' };
    if (from !== undefined) return [{ ...found, module: from, names: namesIn(names) }];
    return namesIn(several ?? '').map((module) => ({ ...found, module, names: [] }));
  });
}

/** Where code matches patterns, each with a name. */
export function usesOf(
  source: string,
  patterns: readonly (readonly [string, RegExp])[],
): readonly PythonUse[] {
  const code = withoutTexts(source);
  return patterns.flatMap(([what, pattern]) =>
    [...code.matchAll(pattern)].map(({ index }) => ({ what, ...placeAt(code, index) })),
  );
}

function namesIn(list: string): readonly string[] {
  return list
    .replaceAll(/[()\s]+/g, ' ')
    .split(',')
    .map((name) => name.trim().split(' ')[0] ?? '')
    .filter((name) => name !== '');
}

function placeAt(code: string, index: number): { readonly line: number; readonly column: number } {
  const before = code.slice(0, index);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: index - start + 1 };
}

/** What the nearest block around a line is that decides whether its imports must work. */
function blockOf(lines: readonly string[], at: number): 'types' | 'try' | null {
  let indent = indentOf(lines[at] ?? '');
  if (/^\s*try:/.test(lines[at] ?? '')) return 'try';
  for (let line = at - 1; line >= 0 && indent > 0; line -= 1) {
    const text = lines[line] ?? '';
    if (text.trim() === '' || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    if (/^\s*if\b.*\bTYPE_CHECKING\b/.test(text)) return 'types';
    if (/^\s*(try|except\b.*)\s*:/.test(text)) return 'try';
  }
  return null;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
