import { dirname, join } from 'node:path/posix';
import type { SourceFile } from './tree.ts';

interface Import {
  readonly from: string;
  readonly to: string;
  /** `import type` and `export type`: gone once compiled. */
  readonly typeOnly: boolean;
}

type Graph = ReadonlyMap<string, readonly string[]>;

const STATEMENT =
  /^\s*(?:import|export)\s+(type\s+(?=[\w{*]))?[^;'"]*?from\s+['"](\.[^'"]+)['"]|^\s*import\s+['"](\.[^'"]+)['"]/gm;
const DYNAMIC = /\b(typeof\s+)?import\(\s*['"](\.[^'"]+)['"]/g;

/** Relative imports of every form: static, `export … from`, `import()`; only those that lead to a file of the tree. */
export function findImports(files: readonly SourceFile[]): readonly Import[] {
  const known = new Set(files.map(({ path }) => path));
  return files
    .flatMap(({ path, code }) => [
      ...[...code.matchAll(STATEMENT)].map(([, type, a, b]) => toImport(path, a ?? b ?? '', type)),
      ...[...code.matchAll(DYNAMIC)].map(([, type, specifier = '']) => toImport(path, specifier, type)),
    ])
    .filter(({ to }) => known.has(to));
}

function toImport(from: string, specifier: string, type: string | undefined): Import {
  return { from, to: join(dirname(from), specifier), typeOnly: type !== undefined };
}

/** Groups of files that reach each other through imports of values: each group is one or more cycles. */
export function findValueCycles(imports: readonly Import[]): readonly (readonly string[])[] {
  const values = imports.filter(({ typeOnly }) => !typeOnly);
  return findCircles(toGraph(values)).filter((circle) => circle.length > 1);
}

/** The longest way along imports of any kind, file by file. Files that import each other in a circle count as one. */
export function findLongestChain(imports: readonly Import[]): readonly string[] {
  const circles = findCircles(toGraph(imports));
  const nameOf = new Map(circles.flatMap((circle) => circle.map((file) => [file, circle.join(' + ')])));
  const name = (file: string) => nameOf.get(file) ?? file;
  const condensed = imports.map(({ from, to }) => ({ from: name(from), to: name(to) }));
  const graph = toGraph(condensed.filter(({ from, to }) => from !== to));
  const chains = new Map<string, readonly string[]>();
  const chainFrom = (node: string): readonly string[] => {
    const known = chains.get(node);
    if (known !== undefined) return known;
    const rest = longest((graph.get(node) ?? []).map(chainFrom));
    chains.set(node, [node, ...rest]);
    return [node, ...rest];
  };
  return longest([...graph.keys()].map(chainFrom));
}

function longest(chains: readonly (readonly string[])[]): readonly string[] {
  return chains.reduce((best, chain) => (chain.length > best.length ? chain : best), []);
}

function toGraph(edges: readonly Pick<Import, 'from' | 'to'>[]): Graph {
  const graph = new Map<string, string[]>();
  for (const { from, to } of edges) graph.set(from, [...(graph.get(from) ?? []), to]);
  return graph;
}

/** Tarjan's strongly connected components: every node in exactly one, most of them alone. */
function findCircles(graph: Graph): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const low = (node: string) => lowest.get(node) ?? 0;
  const visit = (node: string): void => {
    const index = order.size;
    order.set(node, index);
    lowest.set(node, index);
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(node, Math.min(low(node), low(next)));
    }
    if (low(node) === index) circles.push(open.splice(open.indexOf(node)));
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}
