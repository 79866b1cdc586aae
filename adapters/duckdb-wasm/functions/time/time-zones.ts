import type { CppInstance } from '../cpp.ts';
import { constantCast, type Loader } from '../extension-loader.ts';
import { bindingOf, type Overload, rowError, type SqlFunction, throwInDuckdb } from '../scalar-function.ts';
import type { SqlTypeName, SqlTypes } from '../sql-types.ts';
import { forRows, inputOf, setNull } from '../vector.ts';
import { toTimeTz } from './current-date.ts';
import { type Around, addOverloads, aroundBind, wrapBind } from './overloads.ts';

const UTC = /^(Etc\/)?(UTC|UCT|GMT[+-]?0?|Greenwich|Universal|Zulu)$/i;
const LONG = 8;

/**
 * `AT TIME ZONE` for UTC by any of its names, because a timestamp in UTC is the same with and without a zone; and
 * functions that refuse other zones.
 */
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
    ...refusedFunctions(),
  ];
}

/** Registers the cast of TIMESTAMP WITH TIME ZONE to DATE, which is the cast of TIMESTAMP. */
export function registerDateCast(instance: CppInstance, loader: Loader, types: SqlTypes): void {
  const bind = instance.addCallback('bindCast', (result, input) => {
    instance.cpp.defaultCast(result, input, types.get('TIMESTAMP'), types.get('DATE'));
  });
  loader.cast(types.get('TIMESTAMP_TZ'), types.get('DATE'), bind);
}

/** The numbers that stand for an infinite TIMESTAMP. */
const INFINITIES: readonly bigint[] = [2n ** 63n - 1n, 1n - 2n ** 63n];

/**
 * Registers the cast of TIMESTAMP WITH TIME ZONE to TIME WITH TIME ZONE. An infinite instant has no time, and becomes
 * NULL. DuckDB's own cast fails.
 */
export function registerTimeCast(instance: CppInstance, loader: Loader, types: SqlTypes): void {
  const { heap } = instance;
  const cast = instance.addCallback('cast', (source, target, count) => {
    instance.cpp.flattenVector(source, Number(count), 0);
    const [instants, times] = [inputOf(instance, source), inputOf(instance, target)];
    for (let row = 0; row < Number(count); row += 1) {
      const micros = heap.view.getBigInt64(instants.data + row * LONG, true);
      if (instants.isNull(row) || INFINITIES.includes(micros)) setNull(instance, target, row);
      else heap.view.setBigInt64(times.data + row * LONG, toTimeTz(micros), true);
    }
    return 1;
  });
  loader.cast(types.get('TIMESTAMP_TZ'), types.get('TIME_TZ'), constantCast(instance, cast));
}

function checkZone(zone: string): void {
  if (!UTC.test(zone)) throw rowError(lacks(`AT TIME ZONE '${zone}'`));
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

const lacks = (what: string): string => `${what} needs DuckDB's required extension 'icu'`;

/** Overloads that take the name of a zone, which this engine cannot look up. Each fails with that reason. */
function refusedFunctions(): readonly SqlFunction[] {
  const refused = (name: string, takes: readonly SqlTypeName[], returns: SqlTypeName): SqlFunction => ({
    name,
    overloads: [
      {
        takes,
        returns,
        bind() {
          throw rowError(lacks(`${name} of these arguments`));
        },
        run() {},
      },
    ],
  });
  const parts = ['BIGINT', 'BIGINT', 'BIGINT', 'BIGINT', 'BIGINT', 'DOUBLE', 'VARCHAR'] as const;
  return [
    refused('time_bucket', ['INTERVAL', 'TIMESTAMP_TZ', 'VARCHAR'], 'TIMESTAMP_TZ'),
    refused('make_timestamptz', parts, 'TIMESTAMP_TZ'),
    refused('timezone', ['VARCHAR', 'TIME_TZ'], 'TIME_TZ'),
  ];
}

/** Refuses formats with the name of a zone: without icu DuckDB writes none, and ignores one that it reads. */
export function refuseZoneNames(instance: CppInstance, types: SqlTypes, name: string): Around {
  const { heap, scratch } = instance;
  return (expressions, context, callee) => {
    heap.words(scratch + 32, [context, callee, expressions, 0]);
    const { constant, constants } = bindingOf(instance, types, scratch + 32);
    const formats = [constant(1), ...(constants(1) ?? [])];
    if (formats.some((format) => format?.includes('%Z'))) throwInDuckdb(instance, lacks(`${name} with '%Z'`));
    return () => {};
  };
}

/** Makes strptime refuse such formats, because it would read another time. */
export function guardStrptime(instance: CppInstance, loader: Loader, types: SqlTypes): void {
  const bind = aroundBind(instance, refuseZoneNames(instance, types, 'strptime'));
  const { strptime, tryStrptime } = instance.cpp;
  for (const [name, factory] of Object.entries({ strptime, try_strptime: tryStrptime })) {
    loader.functions(name, (set) =>
      addOverloads(instance, factory, set, (at) => {
        wrapBind(instance, at, bind);
        return true;
      }),
    );
  }
}
