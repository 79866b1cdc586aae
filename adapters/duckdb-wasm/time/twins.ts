import type { TIME_FUNCTIONS } from '../cpp-symbols.ts';
import type { Instance } from '../instance.ts';
import { EXPRESSION, FUNCTION_SET, LOGICAL_TYPE, SCALAR_FUNCTION } from '../layout.ts';
import type { Loader } from '../loader.ts';
import type { SqlTypes } from '../sql-types.ts';

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

/** Registers the twins, and the cast to dates. */
export function registerTwins(instance: Instance, loader: Loader, types: SqlTypes): void {
  const bind = createBind(instance);
  for (const [name, aliases] of Object.entries(TWINS)) {
    for (const alias of aliases.split(' ')) {
      loader.functions(alias, (set) =>
        fillWithTwins({ instance, types, bind }, set, name as keyof typeof TWINS),
      );
    }
  }
}

interface Kit {
  readonly instance: Instance;
  readonly types: SqlTypes;
  /** The address of a bind function that goes before another. */
  readonly bind: (original: number) => number;
}

/** Moves the functions of timestamps out of DuckDB's own set into another, which is empty. */
function fillWithTwins(kit: Kit, target: number, name: keyof typeof TWINS): void {
  const { cpp, heap, allocate } = kit.instance;
  const source = allocate(FUNCTION_SET.bytes);
  cpp[name](source);
  const first = heap.u32(source + FUNCTION_SET.functions);
  const end = heap.u32(source + FUNCTION_SET.functions + 4);
  const size = SCALAR_FUNCTION.bytes;
  const found = Array.from({ length: (end - first) / size }, (_, index) => first + index * size).filter(
    (at) => toTwin(kit, at, name),
  );
  const room = allocate(Math.max(1, found.length) * size);
  found.forEach((at, index) => {
    move(kit.instance, at, room + index * size);
  });
  const last = room + found.length * size;
  heap.words(target + FUNCTION_SET.functions, [room, last, last]);
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
  const original = heap.u32(at + SCALAR_FUNCTION.bind);
  // It would make whole days dates, which DuckDB does for timestamps without zone only.
  if (name === 'dateTrunc') heap.setU32(at + SCALAR_FUNCTION.bind, 0);
  else if (original !== 0) heap.setU32(at + SCALAR_FUNCTION.bind, bind(original));
  return true;
}

function typesOf({ heap }: Instance, at: number): readonly number[] {
  const first = heap.u32(at + SCALAR_FUNCTION.takes);
  const count = (heap.u32(at + SCALAR_FUNCTION.takes + 4) - first) / LOGICAL_TYPE.bytes;
  return Array.from({ length: count }, (_, index) => first + index * LOGICAL_TYPE.bytes);
}

/** The original is never looked at again; only what points into the object itself has to follow it. */
function move({ heap }: Instance, from: number, to: number): void {
  heap.bytes.copyWithin(to, from, from + SCALAR_FUNCTION.bytes);
  if (heap.u32(to + SCALAR_FUNCTION.callee) === from + SCALAR_FUNCTION.callable) {
    heap.setU32(to + SCALAR_FUNCTION.callee, to + SCALAR_FUNCTION.callable);
  }
}

/** DuckDB's functions that bind look at the arguments' types themselves: while they do, those are without zone. */
function createBind(instance: Instance): (original: number) => number {
  const made = new Map<number, number>();
  const { heap } = instance;
  const around = (original: number): number =>
    instance.addCallback('bindCall', (context, callee, expressions) => {
      const zoned = expressionTypes(instance, expressions).filter(
        (type) => heap.bytes[type] === LOGICAL_TYPE.timestampTz,
      );
      for (const type of zoned) heap.bytes[type] = LOGICAL_TYPE.timestamp;
      try {
        return instance.callAddress(original, context, callee, expressions);
      } finally {
        for (const type of zoned) heap.bytes[type] = LOGICAL_TYPE.timestampTz;
      }
    });
  return (original) => {
    const known = made.get(original) ?? around(original);
    made.set(original, known);
    return known;
  };
}

function expressionTypes({ heap }: Instance, expressions: number): readonly number[] {
  const [first, end] = [heap.u32(expressions), heap.u32(expressions + 4)];
  return Array.from(
    { length: (end - first) / 4 },
    (_, index) => heap.u32(first + index * 4) + EXPRESSION.type,
  );
}
