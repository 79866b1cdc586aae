import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/*
 * The report of the public API: each entry of `exports` with the declarations of its names, and every declaration of
 * this package that they mention. It reads the declaration files that the compiler wrote, in their regular form.
 */

/** A file's declarations, and the origin of each name that it imports or exports again. */
interface Declarations {
  readonly own: ReadonlyMap<string, string>;
  readonly imported: ReadonlyMap<string, Origin>;
  readonly exported: ReadonlyMap<string, Origin>;
}

interface Origin {
  readonly file: string;
  readonly name: string;
}

/** Types that a schema infers are longer than all others together; their shape is the reference of settings. */
const LONGEST = 4_000;

/** Writes the report for the entries, such as `{ '.': 'dist/src/index.d.ts' }`. */
export function toApiReport(entries: Readonly<Record<string, string>>): string {
  const mentioned = new Map<string, string>();
  const lists = Object.entries(entries).map(([entry, file]) => {
    const names = [...exportsOf(file)].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, origin] of names) describe(origin, mentioned);
    return `${entry}\n${names.map(([name]) => `  ${name}\n`).join('')}`;
  });
  const texts = [...mentioned]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([at, text]) => `// ${at}\n${text}\n`);
  return `${lists.join('\n')}\n${texts.join('\n')}`;
}

/** The names that an entry exports, with the places of their declarations. */
function exportsOf(file: string): ReadonlyMap<string, Origin> {
  const { own, exported } = read(file);
  const declared = [...own]
    .filter(([, text]) => text.startsWith('export'))
    .map(([name]) => [name, { file, name }] as const);
  return new Map([...declared, ...exported]);
}

/** Adds a declaration, and those that it mentions. */
function describe(origin: Origin, mentioned: Map<string, string>): void {
  const { file, name } = origin;
  const { own, imported, exported } = read(file);
  const text = own.get(name);
  if (text === undefined) {
    const next = exported.get(name) ?? imported.get(name);
    if (next === undefined) throw new Error(`${file} has no declaration of ${name}`);
    describe(next, mentioned);
    return;
  }
  const at = `${relative('dist', file)}: ${name}`;
  if (mentioned.has(at)) return;
  mentioned.set(at, text.length > LONGEST ? `${name}: a long inferred type` : text);
  if (text.length > LONGEST) return;
  for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g)) {
    if (word !== name && own.has(word)) describe({ file, name: word }, mentioned);
    const elsewhere = imported.get(word);
    if (elsewhere !== undefined) describe(elsewhere, mentioned);
  }
}

const known = new Map<string, Declarations>();

function read(file: string): Declarations {
  const found = known.get(file) ?? parse(readFileSync(file, 'utf8'), file);
  known.set(file, found);
  return found;
}

/** The compiler begins each statement of a module in the first column, and nothing else but closing brackets. */
function parse(text: string, file: string): Declarations {
  const bare = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\n/gm, '');
  const statements = bare.split(/^(?=(?:export|import|declare|interface|type|class|const|function)\b)/m);
  const own = new Map<string, string>();
  const imported = new Map<string, Origin>();
  const exported = new Map<string, Origin>();
  for (const statement of statements) {
    const named = /^(import|export)\b[^{]*?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/.exec(statement);
    if (named !== null) {
      const [, kind, names = '', specifier = ''] = named;
      const target = normalize(join(dirname(file), specifier)).replace(/\.[jt]s$/, '.d.ts');
      if (!specifier.startsWith('.') || !existsSync(target)) continue;
      for (const [, name = '', as = name] of names.matchAll(
        /(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*(?:,|$)/g,
      ))
        (kind === 'import' ? imported : exported).set(as, { file: target, name });
      continue;
    }
    const name =
      /^(?:export\s+)?(?:declare\s+)?(?:abstract\s+)?(?:interface|type|class|const|function)\s+([\w$]+)/.exec(
        statement,
      )?.[1];
    if (name !== undefined) own.set(name, `${own.has(name) ? `${own.get(name)}\n` : ''}${statement.trim()}`);
  }
  return { own, imported, exported };
}
