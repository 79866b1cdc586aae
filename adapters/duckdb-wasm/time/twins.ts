import type { TIME_FUNCTIONS } from '../cpp-symbols.ts';
import type { Instance } from '../instance.ts';
import { LOGICAL_TYPE, SCALAR_FUNCTION } from '../layout.ts';
import type { Loader } from '../loader.ts';
import type { SqlTypes } from '../sql-types.ts';
import { aroundBind, expressionTypes, moveOverloads, typesOf, wrapBind } from './overloads.ts';
import { refuseZoneNames } from './zone-names.ts';

/*
 * A TIMESTAMP WITH TIME ZONE is stored as the TIMESTAMP of the same instant in UTC. Where UTC is the only zone, whatever
 * DuckDB does with the one is right for the other: so its functions of timestamps are registered once more, under types
 * with zone. The extension that has them otherwise is not part of this engine.
 */

/** Each function with its names in SQL. */
const TWINS: { readonly [name in keyof typeof TIME_FUNCTIONS]: string } = {
  add: '+',
  subtract: '-',
  age: 'age',
  century: 'century',
  dateDiff: 'date_diff datediff',
  datePart: 'date_part datepart',
  dateSub: 'date_sub datesub',
  dateTrunc: 'date_trunc datetrunc',
  day: 'day',
  dayName: 'dayname',
  dayOfMonth: 'dayofmonth',
  dayOfWeek: 'dayofweek weekday',
  dayOfYear: 'dayofyear',
  decade: 'decade',
  epoch: 'epoch',
  era: 'era',
  hour: 'hour',
  isoDayOfWeek: 'isodow',
  isoYear: 'isoyear',
  julian: 'julian',
  lastDay: 'last_day',
  listRange: 'range',
  listSeries: 'generate_series',
  makeTimestamp: 'make_timestamptz',
  microsecond: 'microsecond',
  millennium: 'millennium',
  millisecond: 'millisecond',
  minute: 'minute',
  month: 'month',
  monthName: 'monthname',
  quarter: 'quarter',
  second: 'second',
  strftime: 'strftime',
  timeBucket: 'time_bucket',
  timezone: 'timezone',
  timezoneHour: 'timezone_hour',
  timezoneMinute: 'timezone_minute',
  week: 'week weekofyear',
  year: 'year',
  yearWeek: 'yearweek',
};

/** Registers the twins. */
export function registerTwins(instance: Instance, loader: Loader, types: SqlTypes): void {
  const hiding = aroundBind(instance, (expressions) => hideZones(instance, expressions));
  const refusing = aroundBind(instance, refuseZoneNames(instance, types, 'strftime'));
  for (const [key, names] of Object.entries(TWINS)) {
    const name = key as keyof typeof TWINS;
    const bind = name === 'strftime' ? refusing : hiding;
    for (const alias of names.split(' ')) {
      loader.functions(alias, (set) =>
        moveOverloads(instance, name, set, (at) => toTwin({ instance, types, bind }, at, name)),
      );
    }
  }
}

interface Kit {
  readonly instance: Instance;
  readonly types: SqlTypes;
  /** The address of a bind function that goes around another. */
  readonly bind: (original: number) => number;
}

/** Turns a function of timestamps into one of timestamps with zone; false for any other function. */
function toTwin({ instance, types, bind }: Kit, at: number, name: keyof typeof TWINS): boolean {
  const { heap } = instance;
  const takes = typesOf(instance, at).filter((type) => heap.bytes[type] === LOGICAL_TYPE.timestamp);
  const returns = at + SCALAR_FUNCTION.returns;
  if (takes.length === 0 && name !== 'makeTimestamp') return false;
  // DuckDB takes the format first for the types without zone only.
  if (name === 'strftime' && takes[0] !== typesOf(instance, at)[0]) return false;
  for (const type of takes) heap.bytes[type] = LOGICAL_TYPE.timestampTz;
  if (heap.bytes[returns] === LOGICAL_TYPE.timestamp) heap.bytes[returns] = LOGICAL_TYPE.timestampTz;
  if (name === 'listRange' || name === 'listSeries') {
    instance.cpp.assignType(returns, types.get('TIMESTAMP_TZ[]'));
  }
  // It would make whole days dates, which DuckDB does for timestamps without zone only.
  if (name === 'dateTrunc') heap.setU32(at + SCALAR_FUNCTION.bind, 0);
  wrapBind(instance, at, bind);
  return true;
}

/** DuckDB's functions that bind look at the arguments' types themselves: while they do, those are without zone. */
function hideZones(instance: Instance, expressions: number): () => void {
  const { heap } = instance;
  const zoned = expressionTypes(instance, expressions).filter(
    (type) => heap.bytes[type] === LOGICAL_TYPE.timestampTz,
  );
  for (const type of zoned) heap.bytes[type] = LOGICAL_TYPE.timestamp;
  return () => {
    for (const type of zoned) heap.bytes[type] = LOGICAL_TYPE.timestampTz;
  };
}
