import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Packages } from './packages.ts';

/** The values that a move to another version writes into the tree, besides package.json and its lock file. */
export interface Pins extends Packages {
  /** DuckDB's own version. */
  readonly version: string;
}

/**
 * The files that may name a version: all files of git except tests' records, lock files and the output of `npm run
 * pins`.
 */
const NOT_WRITTEN =
  /^((.*\/)?package-lock\.json|CHANGELOG\.md|scripts\/test\/python\/.*\.txt|.*\.(png|wasm|ico|duckdb))$/;

/** Writes new pins wherever the old ones stand; returns the files that changed. */
export function writePins(before: Pins, after: Pins): readonly string[] {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
  return files.filter((file) => file !== '' && !NOT_WRITTEN.test(file) && rewrite(file, before, after));
}

function rewrite(file: string, before: Pins, after: Pins): boolean {
  const text = readFileSync(file, 'utf8');
  const changed = withPins(text, before, after);
  if (changed !== text) writeFileSync(file, changed);
  return changed !== text;
}

/**
 * Replaces the pins in a text: versions of the packages anywhere, and of DuckDB itself where Python or a report names
 * it.
 */
export function withPins(text: string, before: Pins, after: Pins): string {
  return text
    .replaceAll(`"@duckdb/duckdb-wasm": "${before.wasm}"`, `"@duckdb/duckdb-wasm": "${after.wasm}"`)
    .replaceAll(`version: '${before.wasm}'`, `version: '${after.wasm}'`)
    .replaceAll(before.api, after.api)
    .replaceAll(`duckdb~=${before.version}`, `duckdb~=${after.version}`)
    .replaceAll(ofPython(before.version), `$1${after.version}`)
    .replaceAll(`native DuckDB v${before.version}`, `native DuckDB v${after.version}`);
}

/** Finds a version of DuckDB's packages at PyPI, of its extensions too. */
function ofPython(version: string): RegExp {
  return new RegExp(`(duckdb(?:-extension-[a-z-]+)?==)${version.replaceAll('.', '\\.')}(?!\\d)`, 'g');
}

/** Writes the addresses that the linker of an engine chose, and the digest of the engine. */
export function writeMeasures(measures: {
  readonly bytes: number;
  readonly slots: number;
  readonly sha256: string;
}): void {
  const memory = 'adapters/duckdb-wasm/engine/memory.ts';
  edit(memory, /(bytes: )[\d_]+/, `$1${grouped(measures.bytes)}`);
  edit(memory, /(TABLE_SLOTS = )[\d_]+/, `$1${grouped(measures.slots)}`);
  edit('scripts/wasm/pinned.ts', /(sha256: ')[0-9a-f]{64}/, `$1${measures.sha256}`);
}

function edit(file: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(file, 'utf8');
  if (!pattern.test(text)) throw new Error(`${file} has nothing like ${pattern.source}`);
  writeFileSync(file, text.replace(pattern, replacement));
}

const grouped = (value: number): string => value.toLocaleString('en-US').replaceAll(',', '_');
