import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Door } from './door.ts';

/** Longer inputs take time and find no more. */
const MAX_BYTES = 65_536;

/** Where inputs lie that an earlier run has found worth keeping, a folder for each door. */
export const CORPUS = new URL('corpus/', import.meta.url).pathname;

/** The seeds of a door, and its inputs in the corpus. */
export function startsOf({ name, seeds }: Door): readonly Buffer[] {
  const folder = join(CORPUS, name);
  const kept = existsSync(folder) ? readdirSync(folder).sort() : [];
  return [...seeds.map((seed) => Buffer.from(seed)), ...kept.map((file) => readFileSync(join(folder, file)))];
}

/** One change of an input. Numbers are taken modulo the length. */
interface Change {
  readonly kind: 'cut' | 'insert' | 'repeat' | 'flip' | 'move' | 'replace' | 'cross' | 'end';
  readonly at: number;
  readonly length: number;
  readonly times: number;
  readonly other: number;
  readonly piece: Uint8Array;
}

/** Inputs for a door: a start with some changes, and now and then bytes of no kind. They shrink towards a start. */
export function inputsOf(door: Door): fc.Arbitrary<Uint8Array> {
  const starts = startsOf(door);
  const word = fc.constantFrom(...door.words).map((text) => new Uint8Array(Buffer.from(text)));
  const piece = fc.oneof(
    { weight: 4, arbitrary: word },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 8 }) },
  );
  const change: fc.Arbitrary<Change> = fc.record({
    kind: fc.constantFrom(
      'cut',
      'insert',
      'insert',
      'repeat',
      'flip',
      'move',
      'replace',
      'replace',
      'cross',
      'end',
    ),
    at: fc.nat({ max: MAX_BYTES }),
    length: fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 200 })),
    times: fc.oneof(
      { weight: 9, arbitrary: fc.nat({ max: 3 }) },
      { weight: 1, arbitrary: fc.nat({ max: 2_000 }) },
    ),
    other: fc.nat({ max: 1_000 }),
    piece,
  });
  const changed = fc
    .tuple(fc.nat({ max: starts.length - 1 }), fc.array(change, { maxLength: 8 }))
    .map(([start, changes]) =>
      changes.reduce((bytes, one) => apply(bytes, one, starts), starts[start] ?? Buffer.alloc(0)),
    );
  const noise = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.concat(pieces));
  return fc
    .oneof({ weight: 9, arbitrary: changed }, { weight: 1, arbitrary: noise })
    .map((bytes) => new Uint8Array(bytes));
}

function apply(bytes: Buffer, change: Change, starts: readonly Buffer[]): Buffer {
  const { kind, piece, times } = change;
  const at = change.at % (bytes.length + 1);
  const end = Math.min(bytes.length, at + change.length);
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  const repeated = (text: Uint8Array) =>
    Array.from({ length: Math.min(times + 1, 1 + MAX_BYTES / (text.length + 1)) }, () => text);
  const changed = {
    cut: () => [before, after],
    insert: () => [before, ...repeated(piece), part, after],
    repeat: () => [before, ...repeated(part), part, after],
    flip: () => [before, part.map((byte) => byte ^ (1 << (times % 8))), after],
    move: () => [before, after, part],
    replace: () => [before, piece, after],
    cross: () => [before, (starts[change.other % starts.length] ?? bytes).subarray(at)],
    end: () => [before],
  }[kind]();
  return Buffer.concat(changed).subarray(0, MAX_BYTES);
}
