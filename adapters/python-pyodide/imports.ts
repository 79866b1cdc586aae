import type { WasmImports } from './pyodide.ts';

/** The limits of an interpreter. */
export interface Confinement {
  /** The memory limit in megabytes. Beyond it Python raises a MemoryError. */
  readonly memoryMb: number;
  /** Whether time stands still and no byte is random, so that the same input gives the same snapshot. */
  readonly still: boolean;
}

/** The time of an interpreter whose time stands still. */
const STILL_MS = Date.UTC(2026, 0, 1);
const STILL_NS = BigInt(STILL_MS) * 1_000_000n;

type Memory = () => DataView;

/** Replaces the imports that would reach the machine: its shell, its time zone, all of its memory. */
export function confineImports(
  imports: WasmImports,
  memory: Memory,
  { memoryMb, still }: Confinement,
): WasmImports {
  const { env = {}, wasi_snapshot_preview1: wasi = {}, ...tables } = imports;
  const own = { ...errorMarker(), ...inUtc(memory), ...bounded(env, memoryMb), _emscripten_system: () => -1 };
  if (!still) return { ...tables, env: { ...env, ...own }, wasi_snapshot_preview1: wasi };
  const { clock_time_get, random_get, ...clock } = stillness(memory);
  return {
    ...tables,
    env: { ...env, ...own, ...clock },
    wasi_snapshot_preview1: { ...wasi, clock_time_get, random_get },
  };
}

/** Pyodide's own fallback for engines without WebAssembly's reference types. */
function errorMarker(): Record<string, unknown> {
  const marker = Symbol('error marker');
  return { Jsv_GetError_import: () => marker, JsvError_Check: (value: unknown) => value === marker };
}

function bounded({ emscripten_resize_heap: resize }: Record<string, unknown>, memoryMb: number) {
  const limit = memoryMb * 1_048_576;
  return {
    emscripten_get_heap_max: () => limit,
    emscripten_resize_heap: (bytes: number) =>
      bytes >>> 0 > limit || typeof resize !== 'function' ? 0 : resize(bytes),
  };
}

/** Makes UTC the local time, on the machine of the snapshot and on the server. */
function inUtc(memory: Memory): Record<string, unknown> {
  return {
    _tzset_js: (timezone: number, daylight: number, standard: number, summer: number) => {
      memory().setInt32(timezone, 0, true);
      memory().setInt32(daylight, 0, true);
      for (const name of [standard, summer])
        [...'UTC\0'].forEach((char, index) => {
          memory().setUint8(name + index, char.charCodeAt(0));
        });
    },
    _localtime_js: (seconds: bigint, at: number) => writeTime(memory(), new Date(Number(seconds) * 1000), at),
    _mktime_js: (at: number) => {
      const date = readTime(memory(), at);
      writeTime(memory(), date, at);
      return BigInt(Math.floor(date.getTime() / 1000));
    },
  };
}

/** Writes C's `struct tm`: nine fields of four bytes, and the offset from UTC. */
function writeTime(memory: DataView, date: Date, at: number): void {
  const day = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
  const fields = [
    date.getUTCSeconds(),
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth(),
    date.getUTCFullYear() - 1900,
    date.getUTCDay(),
    day,
    0,
    0,
  ];
  fields.forEach((value, index) => {
    memory.setInt32(at + index * 4, value, true);
  });
}

function readTime(memory: DataView, at: number): Date {
  const [second = 0, minute = 0, hour = 0, day = 1, month = 0, year = 70] = Array.from(
    { length: 6 },
    (_, index) => memory.getInt32(at + index * 4, true),
  );
  const date = new Date(0);
  date.setUTCFullYear(year + 1900, month, day);
  date.setUTCHours(hour, minute, second);
  return date;
}

function stillness(memory: Memory) {
  return {
    clock_time_get: (_clock: number, _precision: bigint, at: number) => {
      memory().setBigUint64(at >>> 0, STILL_NS, true);
      return 0;
    },
    random_get: (at: number, length: number) => {
      for (let index = 0; index < length; index += 1) memory().setUint8((at >>> 0) + index, 7);
      return 0;
    },
    emscripten_date_now: () => STILL_MS,
    emscripten_get_now: () => 1,
  };
}
