import type { HostContext } from './host.ts';

/** Formats values for the reader's language and time zone. */
export interface Formats {
  readonly text: (value: unknown) => string;
  readonly axis: (value: number) => string;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?$/;

/** Makes the formats of a host; an unknown language or time zone counts as the browser's. */
export function createFormats({ locale, timeZone }: HostContext): Formats {
  const make = <T>(create: (language: string | undefined, zone: string | undefined) => T): T => {
    try {
      return create(locale, timeZone);
    } catch {
      return create(undefined, undefined);
    }
  };
  const number = make((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 6 }));
  const short = make((language) => new Intl.NumberFormat(language, { notation: 'compact' }));
  const day = make((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }));
  const moment = make(
    (language, zone) =>
      new Intl.DateTimeFormat(language, {
        dateStyle: 'medium',
        timeStyle: 'short',
        ...(zone === undefined ? {} : { timeZone: zone }),
      }),
  );
  const civil = make(
    (language) =>
      new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  );
  const text = (value: unknown): string => {
    if (value === null || value === undefined) return '';
    if (typeof value === 'number') return number.format(value);
    if (typeof value !== 'string') return JSON.stringify(value);
    if (DATE.test(value)) return day.format(new Date(`${value}T00:00:00Z`));
    if (!MOMENT.test(value)) return value;
    // Without an offset, it is a time of no zone, which the reader's zone must not shift.
    const [zoned, iso] = [/(Z|[+-]\d{2}(:?\d{2})?)$/.test(value), value.replace(' ', 'T')];
    const time = new Date(zoned ? iso : `${iso}Z`);
    return Number.isNaN(time.getTime()) ? value : (zoned ? moment : civil).format(time);
  };
  return { text, axis: (value) => (Math.abs(value) >= 10_000 ? short.format(value) : number.format(value)) };
}

/** A value as a number; NaN for one that is not. Exact decimals travel as texts. */
export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN;
}
