import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import { SvcError } from '../../src/errors.ts';

/** The name of this package. */
export const SELF = 'svc-kit';

/** A package whose code is in an artefact. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; null if the package names no licence. */
  readonly license: string | null;
  /** Its folder on this machine. */
  readonly folder: string;
  /** The packages that it imports, as `name@version`. */
  readonly imports: readonly string[];
  /** The licence, if its folder does not contain it. */
  readonly text?: string;
}

/** The packages whose code is in the bundles. Packages that tree-shaking removed are left out. */
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

/** Identifies a package as `name@version`. */
export function idOf({ name, version }: Pick<Package, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

interface Edges {
  readonly path: string;
  /** The modules with code that it imports. */
  readonly to: readonly string[];
}

/** Lists each module with code in the output and its imports, also through modules that only re-export. */
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

/**
 * Whether a module's code is in the output. A path with a namespace is our own stand-in for a module that was left
 * out.
 */
function isKept([path, { bytesInOutput }]: readonly [string, { readonly bytesInOutput: number }]): boolean {
  return bytesInOutput > 0 && !/^[\w-]{2,}:/.test(path);
}

/** The innermost package folder in `node_modules` that contains a file; null for a file of a checkout. */
function packageFolder(path: string): string | null {
  const parts = path.split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at === -1) return null;
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join(sep);
}

/** The folder of this package. `deploy` lies directly in a checkout, and one folder deeper in a compiled package. */
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
