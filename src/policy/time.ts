import { type CelFunc, CelScalar, celMethod, objectType } from '@bufbuild/cel';
import { TimestampSchema, timestampMs } from '@bufbuild/protobuf/wkt';

/** CEL's type of a point in time. */
export const TIMESTAMP = objectType(TimestampSchema);

const DAY_MS = 86_400_000;

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
export const TIME_METHODS: readonly CelFunc[] = Object.entries(FIELDS).flatMap(([name, read]) => [
  celMethod(name, TIMESTAMP, [], CelScalar.INT, function () {
    return BigInt(read(new Date(timestampMs(this.message))));
  }),
  celMethod(name, TIMESTAMP, [CelScalar.STRING], CelScalar.INT, function (zone) {
    return BigInt(read(toZone(timestampMs(this.message), zone)));
  }),
]);

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.floor((date.getTime() - start.getTime()) / DAY_MS);
}

/** A date whose UTC fields are the clock of a zone: `UTC`, an offset (`+02:00`), or an IANA name. */
function toZone(ms: number, zone: string): Date {
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (offset === null) return toNamedZone(ms, zone);
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return new Date(ms + (offset[1] === '-' ? -minutes : minutes) * 60_000);
}

function toNamedZone(ms: number, zone: string): Date {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
  const date = new Date(0);
  date.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  date.setUTCHours(part('hour'), part('minute'), part('second'), new Date(ms).getUTCMilliseconds());
  return date;
}
