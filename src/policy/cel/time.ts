import { type CelFunc, CelScalar, celMethod, objectType } from '@bufbuild/cel';
import { TimestampSchema, timestampMs } from '@bufbuild/protobuf/wkt';
import type { Meter } from './meter.ts';

/** CEL's type of a point in time. */
export const TIMESTAMP = objectType(TimestampSchema);

const DAY_MS = 86_400_000;
/** The price of a zone's clock in units of the meter. */
const ZONE_PRICE = 5;

/** The value of each method, read from a date whose UTC fields are the zone's local time. */
const FIELDS: { readonly [method: string]: (date: Date) => number } = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => dayOfYear(date),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

/**
 * CEL's timestamp methods. They replace the library's, which use the
 * host's time zone and are an hour off in its daylight-saving gap.
 */
export function timeMethods(meter: Meter): readonly CelFunc[] {
  return Object.entries(FIELDS).flatMap(([name, read]) => [
    celMethod(name, TIMESTAMP, [], CelScalar.INT, function () {
      return BigInt(read(new Date(timestampMs(this.message))));
    }),
    celMethod(name, TIMESTAMP, [CelScalar.STRING], CelScalar.INT, function (zone) {
      meter.spend(ZONE_PRICE);
      return BigInt(read(toZone(timestampMs(this.message), zone)));
    }),
  ]);
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.floor((date.getTime() - start.getTime()) / DAY_MS);
}

/** A date whose UTC fields are the local time of a zone: `UTC`, an offset (`+02:00`), or an IANA name. */
function toZone(ms: number, zone: string): Date {
  const offset = /^([+-]?)([01]\d|2[0-3]):([0-5]\d)$/.exec(zone);
  if (offset === null) return toNamedZone(ms, zone);
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return new Date(ms + (offset[1] === '-' ? -minutes : minutes) * 60_000);
}

function toNamedZone(ms: number, zone: string): Date {
  const parts = new Map(
    clockOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
  const date = new Date(0);
  date.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  date.setUTCHours(part('hour'), part('minute'), part('second'), new Date(ms).getUTCMilliseconds());
  return date;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
/** More than the number of zones. The limit is needed because a caller's argument may name the zone. */
const MAX_CLOCKS = 1_000;

/** Cached for each zone, because creating a clock takes a hundred times as long as reading it. */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (clocks.size >= MAX_CLOCKS) clocks.clear();
  clocks.set(zone, clock);
  return clock;
}
