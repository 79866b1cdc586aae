import { dirname } from 'node:path/posix';
import { findRiddles, type Riddle } from './comments.ts';
import { findImports, findLongestChain, findValueCycles } from './imports.ts';
import { findSharedFunctions, findSharedTypes, type Homonym } from './names.ts';
import type { SourceFile } from './tree.ts';

/** The figures that need only the text of the sources. */
export interface Figures {
  readonly files: number;
  readonly lines: number;
  /** Neither blank nor only comment. */
  readonly codeLines: number;
  readonly linesPerFile: { readonly median: number; readonly p90: number; readonly max: number };
  /** Folders with the most files directly in them, the largest first. */
  readonly largestFolders: readonly { readonly folder: string; readonly files: number }[];
  readonly sharedTypes: readonly Homonym[];
  readonly sharedFunctions: readonly Homonym[];
  /** Relative imports per 100 code lines, each import statement and each `import()` counted once. */
  readonly importsPer100Lines: number;
  readonly longestChain: readonly string[];
  readonly valueCycles: readonly (readonly string[])[];
  readonly docComments: number;
  readonly riddles: readonly Riddle[];
}

const TOP_FOLDERS = 8;

/** Measures a tree; every list is empty for a tree without files. */
export function measureFigures(files: readonly SourceFile[]): Figures {
  const imports = findImports(files);
  const codeLines = sum(files.map((file) => file.codeLines));
  const perFile = files.map(({ lines }) => lines).sort((a, b) => a - b);
  return {
    files: files.length,
    lines: sum(perFile),
    codeLines,
    linesPerFile: { median: quantile(perFile, 0.5), p90: quantile(perFile, 0.9), max: quantile(perFile, 1) },
    largestFolders: findLargestFolders(files),
    sharedTypes: findSharedTypes(files),
    sharedFunctions: findSharedFunctions(files),
    importsPer100Lines: (100 * imports.length) / Math.max(codeLines, 1),
    longestChain: findLongestChain(imports),
    valueCycles: findValueCycles(imports),
    docComments: sum(files.map(({ docComments }) => docComments.length)),
    riddles: findRiddles(files),
  };
}

function findLargestFolders(files: readonly SourceFile[]): Figures['largestFolders'] {
  const folders = Map.groupBy(files, ({ path }) => dirname(path));
  return [...folders]
    .map(([folder, inside]) => ({ folder, files: inside.length }))
    .sort((a, b) => b.files - a.files)
    .slice(0, TOP_FOLDERS);
}

/** The smallest value that is at least as large as this share of all; 0 for none. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
