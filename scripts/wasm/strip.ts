import { guardSize } from './guard-size.ts';
import { scanCalls } from './instructions.ts';
import { Reader, toLeb } from './reader.ts';
import { join, parseSections, SECTION, type Section, toModule, toVector } from './sections.ts';

const [FUNCTION, TABLE, MEMORY, GLOBAL, TAG] = [0, 1, 2, 3, 4];
/** A body of no locals that traps: five bytes with its length, and no function has to be renumbered. */
const HOLLOW = Uint8Array.of(3, 0, 0x00, 0x0b);

/**
 * The module with only these exports, under the names that the map gives them, and with every function that neither they
 * nor a table can reach emptied. Functions in `guarded` check their size parameter first (guard-size.ts). DuckDB exports 75,000 symbols for side modules that this kit never loads; they keep code
 * alive and startup slow.
 */
export function stripModule(
  module: Uint8Array,
  keep: ReadonlyMap<string, string>,
  guarded: ReadonlyMap<string, number> = new Map(),
): Uint8Array {
  const sections = parseSections(module).filter(({ id }) => id !== SECTION.custom);
  const all = readExports(bodyOf(sections, SECTION.export));
  const exported = all.filter(({ name }) => keep.has(name));
  const missing = [...keep.keys(), ...guarded.keys()].filter(
    (name) => !all.some((entry) => entry.name === name),
  );
  if (missing.length > 0) throw new Error(`the engine does not export ${missing.join(', ')}`);

  const roots = exported.filter(({ kind }) => kind === FUNCTION).map(({ index }) => index);
  const started = new Reader(bodyOf(sections, SECTION.start)).number();
  const tabled = readTabled(bodyOf(sections, SECTION.element));
  const imported = countImportedFunctions(bodyOf(sections, SECTION.import));
  const guards = new Map(all.flatMap(({ name, index }) => pairOf(index - imported, guarded.get(name))));
  const bodiesOfCode = readBodies(bodyOf(sections, SECTION.code)).map((body, index) => {
    const parameter = guards.get(index);
    return parameter === undefined ? body : guardSize(body, parameter);
  });
  const code = emptyUnreached(bodiesOfCode, imported, [...roots, started, ...tabled]);
  const bodies = { [SECTION.export]: writeExports(exported, keep), [SECTION.code]: code };
  return toModule(sections.map((section) => replaced(section, bodies)));
}

/** The whole module, with exports under the names that the map gives them. Stripping is compared with it. */
export function renameExports(module: Uint8Array, names: ReadonlyMap<string, string>): Uint8Array {
  const sections = parseSections(module);
  const exported = readExports(bodyOf(sections, SECTION.export));
  const bodies = { [SECTION.export]: writeExports(exported, names) };
  return toModule(sections.map((section) => replaced(section, bodies)));
}

function writeExports(exported: readonly Export[], names: ReadonlyMap<string, string>): Uint8Array {
  return toVector(
    exported.map(({ name, kind, index }) => {
      const text = new TextEncoder().encode(names.get(name) ?? name);
      return join([Uint8Array.from(toLeb(text.length)), text, Uint8Array.of(kind, ...toLeb(index))]);
    }),
  );
}

interface Export {
  readonly name: string;
  readonly kind: number;
  readonly index: number;
}

function bodyOf(sections: readonly Section[], id: number): Uint8Array {
  const section = sections.find((candidate) => candidate.id === id);
  if (section === undefined) throw new Error(`the engine has no section ${id}`);
  return section.body;
}

function replaced(section: Section, bodies: { readonly [id: number]: Uint8Array }): Section {
  return { id: section.id, body: bodies[section.id] ?? section.body };
}

function readExports(body: Uint8Array): Export[] {
  const reader = new Reader(body);
  return Array.from({ length: reader.number() }, () => {
    const name = reader.name();
    const kind = reader.byte();
    const index = reader.number();
    return { name, kind, index };
  });
}

function countImportedFunctions(body: Uint8Array): number {
  const reader = new Reader(body);
  let functions = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.name();
    reader.name();
    if (skipImport(reader) === FUNCTION) functions += 1;
  }
  return functions;
}

function skipImport(reader: Reader): number {
  const kind = reader.byte();
  if (kind === TABLE || kind === GLOBAL || kind === TAG) reader.skip(1);
  if (kind === TABLE || kind === MEMORY) skipLimits(reader);
  else if (kind === GLOBAL) reader.skip(1);
  else reader.skipNumber();
  return kind;
}

function skipLimits(reader: Reader): void {
  const bounded = (reader.byte() & 1) === 1;
  reader.skipNumber();
  if (bounded) reader.skipNumber();
}

/** The functions of active element segments with plain indexes, which is all that the linker writes. */
function readTabled(body: Uint8Array): number[] {
  const reader = new Reader(body);
  return Array.from({ length: reader.number() }, () => {
    if (reader.number() !== 0) throw new Error('the engine has an element segment of an unknown kind');
    scanOffset(reader);
    return Array.from({ length: reader.number() }, () => reader.number());
  }).flat();
}

function scanOffset(reader: Reader): void {
  while (reader.byte() !== 0x0b) reader.skipNumber();
}

function pairOf(index: number, parameter: number | undefined): readonly (readonly [number, number])[] {
  return parameter === undefined ? [] : [[index, parameter]];
}

function emptyUnreached(
  bodies: readonly Uint8Array[],
  imported: number,
  roots: readonly number[],
): Uint8Array {
  const reached = reach(bodies, imported, roots);
  return toVector(bodies.map((code, index) => (reached.has(index + imported) ? code : HOLLOW)));
}

/** Each function's body with its length before it. */
function readBodies(body: Uint8Array): Uint8Array[] {
  const reader = new Reader(body);
  return Array.from({ length: reader.number() }, () => {
    const start = reader.at;
    reader.skip(reader.number());
    return body.subarray(start, reader.at);
  });
}

function reach(bodies: readonly Uint8Array[], imported: number, roots: readonly number[]): Set<number> {
  const reached = new Set(roots);
  const waiting = [...reached];
  const visit = (callee: number): void => {
    if (reached.has(callee)) return;
    reached.add(callee);
    waiting.push(callee);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const code = bodies[next - imported];
    if (code !== undefined) scanFunction(code, visit);
  }
  return reached;
}

function scanFunction(code: Uint8Array, visit: (callee: number) => void): void {
  const reader = new Reader(code);
  reader.skipNumber();
  for (let groups = reader.number(); groups > 0; groups -= 1) {
    reader.skipNumber();
    reader.at += 1;
  }
  scanCalls(reader, code.length, visit);
}
