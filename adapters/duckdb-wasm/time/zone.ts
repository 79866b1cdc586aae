import type { Instance } from '../instance.ts';
import type { Loader } from '../loader.ts';
import { type Overload, rowError, type SqlFunction } from '../scalar.ts';
import type { SqlTypes, TypeName } from '../sql-types.ts';
import { columnOf, inputOf, setNull } from '../vector.ts';

const UTC = /^(Etc\/)?(UTC|UCT|GMT[+-]?0?|Greenwich|Universal|Zulu)$|^Z$/i;
const OFFSET_BITS = 24n;
const OFFSETS = (1n << OFFSET_BITS) - 1n;
const NO_OFFSET = 16n * 60n * 60n - 1n;
const MICROS_PER_DAY = 86_400_000_000n;

/** `AT TIME ZONE`, for UTC by any of its names. */
export function zoneFunctions(instance: Instance): readonly SqlFunction[] {
  const overload = (from: TypeName, to: TypeName, convert: (value: bigint) => bigint): Overload => ({
    takes: ['VARCHAR', from],
    returns: to,
    bind(binding) {
      const zone = binding.constant(0);
      if (zone) checkZone(zone);
    },
    run: (chunk, output) => convertRows(instance, chunk, output, convert),
  });
  const same = (value: bigint): bigint => value;
  return [
    {
      name: 'timezone',
      overloads: [
        overload('TIMESTAMP', 'TIMESTAMP_TZ', same),
        overload('TIMESTAMP_TZ', 'TIMESTAMP', same),
        overload('TIME_TZ', 'TIME_TZ', timeInUtc),
      ],
    },
  ];
}

/** Registers the cast of timestamps with zone to dates, which is that of timestamps. */
export function registerDateCast(instance: Instance, loader: Loader, types: SqlTypes): void {
  const bind = instance.addCallback('bindCast', (result, input) => {
    instance.cpp.defaultCast(result, input, types.get('TIMESTAMP'), types.get('DATE'));
  });
  loader.cast(types.get('TIMESTAMP_TZ'), types.get('DATE'), bind);
}

function checkZone(zone: string): void {
  if (!UTC.test(zone)) throw rowError(`AT TIME ZONE '${zone}' needs DuckDB's required extension 'icu'`);
}

function convertRows(
  instance: Instance,
  chunk: number,
  output: number,
  convert: (value: bigint) => bigint,
): void {
  const { call, heap } = instance;
  const zones = inputOf(instance, columnOf(instance, chunk, 0));
  const times = inputOf(instance, columnOf(instance, chunk, 1));
  const data = call.duckdb_vector_get_data(output);
  for (let row = 0; row < call.duckdb_data_chunk_get_size(chunk); row += 1) {
    if (zones.isNull(row) || times.isNull(row)) setNull(instance, output, row);
    else {
      checkZone(heap.string(zones.data, row));
      const value = heap.view.getBigInt64(times.data + row * LONG, true);
      heap.view.setBigInt64(data + row * LONG, convert(value), true);
    }
  }
}

const LONG = 8;

/** Below the time stands how far its offset in seconds is from the greatest. */
function timeInUtc(packed: bigint): bigint {
  const offset = NO_OFFSET - (packed & OFFSETS);
  const micros = (packed >> OFFSET_BITS) - offset * 1_000_000n;
  const wrapped = ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;
  return (wrapped << OFFSET_BITS) | NO_OFFSET;
}
