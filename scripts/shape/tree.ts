import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Scanned, scan } from './scan.ts';

/** The folders of sources; tests, examples and built files are elsewhere. */
const FOLDERS = ['src', 'adapters', 'deploy', 'cli', 'scripts'];

/** A source file with its counts. */
export interface SourceFile extends Scanned {
  /** From the root, with slashes. */
  readonly path: string;
  readonly lines: number;
}

/** Every TypeScript and JavaScript file of the tree but declarations (`.d.ts`); a folder that is absent has none. */
export function readTree(root: string): readonly SourceFile[] {
  return FOLDERS.flatMap((folder) => namesIn(root, folder))
    .filter((path) => /\.(ts|js|mjs)$/.test(path) && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => toSourceFile(path, readFileSync(join(root, path), 'utf8')));
}

function namesIn(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    `${folder}/${name}`.replaceAll(sep, '/'),
  );
}

function toSourceFile(path: string, text: string): SourceFile {
  return { path, lines: text.split('\n').length - 1, ...scan(text) };
}
