import type { CppInstance } from '../cpp.ts';
import type { SqlFunction } from '../scalar-function.ts';
import type { SqlTypeName } from '../sql-types.ts';
import { forRows, inputOf } from '../vector.ts';

const MICROS_PER_DAY = 86_400_000_000n;
/** The lower 24 bits of a TIMETZ: the greatest offset minus its own, in seconds. */
const NO_OFFSET = BigInt(16 * 60 * 60 - 1);

/** Returns the TIMETZ of an instant in microseconds since 1970. */
export function toTimeTz(micros: bigint): bigint {
  const timeOfDay = ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;
  return (timeOfDay << 24n) | NO_OFFSET;
}

/** Writes a row of a vector whose data begins at an address. */
type Put = (view: DataView, data: number, row: number) => void;

const long =
  (value: bigint): Put =>
  (view, data, row) =>
    view.setBigInt64(data + row * 8, value, true);

const days =
  (value: number): Put =>
  (view, data, row) =>
    view.setInt32(data + row * 4, value, true);

/** The SQL functions of the current date and time that DuckDB has in its icu extension; the time zone is UTC. */
export function calendarFunctions(instance: CppInstance, now: () => number): readonly SqlFunction[] {
  const micros = (): bigint => BigInt(now()) * 1000n;
  const timeOfDay = (): bigint => micros() % MICROS_PER_DAY;
  const about = (name: string, returns: SqlTypeName, answer: () => Put): SqlFunction => ({
    name,
    overloads: [{ takes: [], returns, run: (chunk, output) => fill(instance, chunk, output, answer()) }],
  });
  const today = (): Put => days(Number(micros() / MICROS_PER_DAY));
  return [
    about('current_date', 'DATE', today),
    about('today', 'DATE', today),
    about('get_current_time', 'TIME_TZ', () => long(toTimeTz(micros()))),
    about('current_localtimestamp', 'TIMESTAMP', () => long(micros())),
    about('current_localtime', 'TIME', () => long(timeOfDay())),
  ];
}

/** Writes the same number into each row. */
function fill(instance: CppInstance, chunk: number, output: number, put: Put): void {
  const { data } = inputOf(instance, output);
  forRows(instance, chunk, output, (row) => put(instance.heap.view, data, row));
}
