import type { SourceFile } from './tree.ts';

/** A name and the files that declare it. */
export interface Homonym {
  readonly name: string;
  readonly files: readonly string[];
}

/** Exported `interface` and `type` names that more than one file declares; a re-export declares nothing. */
export function findSharedTypes(files: readonly SourceFile[]): readonly Homonym[] {
  return findHomonyms(files, /^export\s+(?:declare\s+)?(?:interface|type)\s+(\w+)\b(?!\s*,)/gm);
}

/** Exported `function` names that more than one file declares; overloads in one file are one declaration. */
export function findSharedFunctions(files: readonly SourceFile[]): readonly Homonym[] {
  return findHomonyms(files, /^export\s+(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)/gm);
}

function findHomonyms(files: readonly SourceFile[], declaration: RegExp): readonly Homonym[] {
  const declared = files.flatMap(({ path, code }) =>
    [...code.matchAll(declaration)].map(([, name = '']) => ({ name, path })),
  );
  const byName = Map.groupBy(declared, ({ name }) => name);
  return [...byName]
    .map(([name, found]) => ({ name, files: [...new Set(found.map(({ path }) => path))] }))
    .filter((homonym) => homonym.files.length > 1)
    .sort((a, b) => b.files.length - a.files.length || (a.name < b.name ? -1 : 1));
}
