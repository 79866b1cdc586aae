/** An import in a Python file. */
export interface PythonImport {
  /** As written, with the leading dots of relative imports. */
  readonly module: string;
  /** The imported names; `from x import y` may mean the module x.y. */
  readonly names: readonly string[];
  readonly line: number;
  readonly column: number;
  /** Whether it is in a `try:`, so that the file can do without the module. */
  readonly guarded: boolean;
}

/** A place in a Python file that uses a feature which a platform may lack. */
export interface PythonUse {
  readonly what: string;
  readonly line: number;
  readonly column: number;
}

const TEXTS =
  /[rbfutRBFUT]{0,2}("""|''')(?:\\[\s\S]|(?!\1)[^\\])*\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*/g;
const IMPORT =
  /(?<=^|[;:])([ \t]*)(?:import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*)|from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]*))/gm;

/** Blanks out comments and string literals. Every line and column stays the same. */
function withoutTexts(source: string): string {
  return source
    .replaceAll('\r\n', '\n')
    .replaceAll('\\\n', ' \n')
    .replace(TEXTS, (text) => text.replaceAll(/[^\n]/g, ' '));
}

/** Finds every import of a file, except those for type checkers only. */
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

/** Finds the places that match patterns. Each pattern has a name. */
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

/** The kind of the nearest enclosing block that decides whether an import must work. */
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
