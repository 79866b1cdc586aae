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
interface PythonUse {
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

/** A Python file of the project that an endpoint needs, directly or through others. */
export interface ReachedFile {
  readonly path: string;
  readonly text: string;
  /** Its imports of modules outside the project. */
  readonly outside: readonly PythonImport[];
}

/** Python files by their path in the project. */
export type PythonSources = ReadonlyMap<string, string>;

/** Follows imports from the files of endpoints through the project's folder of modules. */
export function reachedFrom(
  files: readonly string[],
  sources: PythonSources,
  folder: string,
): readonly ReachedFile[] {
  const reached = new Map<string, ReachedFile>();
  const waiting = [...files];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = sources.get(path);
    if (text === undefined || reached.has(path)) continue;
    const found = importsOf(text).map((one) => ({ one, own: resolve(one, path, sources, folder) }));
    reached.set(path, { path, text, outside: found.filter(({ own }) => own === null).map(({ one }) => one) });
    waiting.push(...found.flatMap(({ own }) => own ?? []));
  }
  return [...reached.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The project's files that an import runs; null if it names no module of the project. */
function resolve(
  { module, names }: PythonImport,
  from: string,
  sources: PythonSources,
  folder: string,
): readonly string[] | null {
  const base = module.startsWith('.') ? relativeTo(module, from) : [folder, ...module.split('.')].join('/');
  const steps = base.slice(folder.length + 1).split('/');
  const packages = steps.map((_, index) => [folder, ...steps.slice(0, index + 1)].join('/'));
  const modules = [...packages, ...names.map((name) => `${base}/${name}`)];
  const found = modules.flatMap((one) =>
    [`${one}.py`, `${one}/__init__.py`].filter((file) => sources.has(file)),
  );
  const known = found.length > 0 || [...sources.keys()].some((file) => file.startsWith(`${packages[0]}/`));
  return known || module.startsWith('.') ? found : null;
}

/** Resolves leading dots: one dot is the file's own folder, each further dot the folder above. */
function relativeTo(module: string, from: string): string {
  const dots = module.length - module.replace(/^\.+/, '').length;
  const folder = from.split('/').slice(0, -dots);
  return [...folder, ...module.slice(dots).split('.').filter(Boolean)].join('/');
}
