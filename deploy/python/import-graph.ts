import { importsOf, type PythonImport } from './imports.ts';

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
