import type { CppInstance } from '../cpp.ts';
import type { Loader } from '../extension-loader.ts';
import { type Overload, rowError, type SqlFunction } from '../scalar-function.ts';
import type { SqlTypeName, SqlTypes } from '../sql-types.ts';
import { forRows, inputOf } from '../vector.ts';

const UTC = /^(Etc\/)?(UTC|UCT|GMT[+-]?0?|Greenwich|Universal|Zulu)$|^Z$/i;
const LONG = 8;

/** `AT TIME ZONE` for UTC by any of its names, where a timestamp is the same with a zone and without. */
export function zoneFunctions(instance: CppInstance): readonly SqlFunction[] {
  const overload = (from: SqlTypeName, to: SqlTypeName): Overload => ({
    takes: ['VARCHAR', from],
    returns: to,
    bind(binding) {
      const zone = binding.constant(0);
      if (zone) checkZone(zone);
    },
    run: (chunk, output) => copyRows(instance, chunk, output),
  });
  return [
    {
      name: 'timezone',
      overloads: [overload('TIMESTAMP', 'TIMESTAMP_TZ'), overload('TIMESTAMP_TZ', 'TIMESTAMP')],
    },
  ];
}

/** Registers the cast of TIMESTAMP WITH TIME ZONE to DATE, which is the cast of TIMESTAMP. */
export function registerDateCast(instance: CppInstance, loader: Loader, types: SqlTypes): void {
  const bind = instance.addCallback('bindCast', (result, input) => {
    instance.cpp.defaultCast(result, input, types.get('TIMESTAMP'), types.get('DATE'));
  });
  loader.cast(types.get('TIMESTAMP_TZ'), types.get('DATE'), bind);
}

function checkZone(zone: string): void {
  if (!UTC.test(zone)) throw rowError(`AT TIME ZONE '${zone}' needs DuckDB's required extension 'icu'`);
}

function copyRows(instance: CppInstance, chunk: number, output: number): void {
  const { heap } = instance;
  const { data } = inputOf(instance, output);
  forRows(instance, chunk, output, (row, zones, times) => {
    if (!zones || !times) return;
    checkZone(heap.string(zones.data, row));
    const from = times.data + row * LONG;
    heap.bytes.copyWithin(data + row * LONG, from, from + LONG);
  });
}
