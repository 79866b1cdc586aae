import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import { SvcError } from '../../src/errors.ts';

/** This package. */
export const SELF = 'svc-kit';

/** A package of which code went into an artefact. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; null where the package does not say. */
  readonly license: string | null;
  /** Where it is on this machine. */
  readonly folder: string;
  /** Names with versions, `name@version`, of those whose code it imports. */
  readonly imports: readonly string[];
  /** Of its licence, where its folder has none. */
  readonly text?: string;
}

/** The packages that bundles are really made of, by name; what was shaken out is not among them. */
export function packagesOf(metafiles: readonly Metafile[], from: string): readonly Package[] {
  const own = ownFolder(from);
  const folderOf = (path: string) => packageFolder(resolve(from, path)) ?? own;
  const edges = metafiles.flatMap(importsBetween);
  const byFolder = Map.groupBy(edges, ({ path }) => folderOf(path));
  const found = [...byFolder].map(([folder, of]) =>
    toPackage(folder, new Set(of.flatMap(({ to }) => to).map(folderOf))),
  );
  return found.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

/** How a package is named where its version counts. */
export function idOf({ name, version }: Pick<Package, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

interface Edges {
  readonly path: string;
  /** The modules with code that it comes to import. */
  readonly to: readonly string[];
}

/** Each module that has code in the output, with those it imports, be it through modules that only pass on. */
function importsBetween({ inputs, outputs }: Metafile): readonly Edges[] {
  const shares = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const kept = new Set(shares.filter(isKept).map(([path]) => path));
  const reach = (path: string, seen: Set<string>): readonly string[] => {
    if (seen.has(path)) return [];
    seen.add(path);
    const next = inputs[path]?.imports.map((imported) => imported.path) ?? [];
    return next.flatMap((other) => (kept.has(other) ? [other] : reach(other, seen)));
  };
  return [...kept].map((path) => ({ path, to: reach(path, new Set()) }));
}

/** What stands in a namespace is ours, in place of what was left out. */
function isKept([path, { bytesInOutput }]: readonly [string, { readonly bytesInOutput: number }]): boolean {
  return bytesInOutput > 0 && !/^[\w-]{2,}:/.test(path);
}

/** The innermost folder of `node_modules` that a file is in; null for a file of a checkout. */
function packageFolder(path: string): string | null {
  const parts = path.split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at === -1) return null;
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join(sep);
}

/** The folder of this package: `deploy` is right in it in a checkout, and one deeper where it is compiled. */
function ownFolder(from: string): string {
  const found = [from, dirname(resolve(from))].find((folder) => existsSync(join(folder, 'package.json')));
  if (found !== undefined) return resolve(found);
  throw new SvcError('internal', `package.json is missing from this installation, near ${from}.`);
}

function toPackage(folder: string, to: ReadonlySet<string>): Package {
  const others = [...to].filter((other) => other !== folder).map((other) => idOf(readPackage(other)));
  return { ...readPackage(folder), folder, imports: others.toSorted() };
}

function readPackage(folder: string): Pick<Package, 'name' | 'version' | 'license'> {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license }: Record<string, unknown> = JSON.parse(text);
  return {
    name: String(name),
    version: String(version),
    license: typeof license === 'string' ? license : null,
  };
}
