import type { Files } from '../../../src/ports.ts';
import type { Finding } from '../../../src/project/finding.ts';
import { loadProject } from '../../../src/project/load.ts';
import type { Project } from '../../../src/project/model.ts';

/** Path -> content. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

export const SITE = 'svc: 1\nproject: demo\nprofile: default\n';

/** The Files port in memory. */
export function memoryFiles(tree: Tree): Files {
  const encoder = new TextEncoder();
  return {
    list: async (folder) =>
      Object.keys(tree)
        .filter((path) => folder === '.' || path.startsWith(`${folder}/`))
        .sort(),
    read: async (path, limit) => {
      const content = Object.hasOwn(tree, path) ? tree[path] : undefined;
      if (content === undefined) return null;
      const bytes = typeof content === 'string' ? encoder.encode(content) : content;
      return bytes.slice(0, limit);
    },
  };
}

/** Loads a project from memory; the site file may be left out. */
export function load(tree: Tree, profile?: string): Promise<Project> {
  return loadProject(memoryFiles({ 'svc-site.yml': SITE, ...tree }), '/demo', profile);
}

/** Loads one tool file and answers what is wrong with it. */
export async function findingsOf(
  text: string | Uint8Array,
  file = 'tools/one.yml',
): Promise<readonly Finding[]> {
  return (await load({ [file]: text })).findings;
}

/** `line:column code message fix`, as short as a table needs it. */
export function short({ line, column, code, message, fix }: Finding): string {
  return `${line}:${column} ${code}: ${message} ${fix}`;
}
