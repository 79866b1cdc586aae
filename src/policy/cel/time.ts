import { type CelFunc, CelScalar, celMethod, objectType } from '@bufbuild/cel';
import { TimestampSchema, timestampMs } from '@bufbuild/protobuf/wkt';
import type { Meter } from './meter.ts';

/** CEL's type of a point in time. */
export const TIMESTAMP = objectType(TimestampSchema);

const DAY_MS = 86_400_000;
/** The clock of a zone takes as long as some turns of a loop. */
const ZONE_PRICE = 5;

/** What each method reads from a date whose UTC fields are the wanted zone's clock. */
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

/** The timestamp methods of CEL, in place of the library's, which go through the host's own time zone and are an hour off in its daylight-saving gap. */
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

/** A date whose UTC fields are the clock of a zone: `UTC`, an offset (`+02:00`), or an IANA name. */
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
/** More than there are zones; a condition may take the name from a caller. */
const MAX_CLOCKS = 1_000;

/** Made once for each zone: that takes a hundred times as long as asking it. */
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
