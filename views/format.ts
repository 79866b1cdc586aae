/** Formats and compares values for the reader's language and time zone. */
export interface Formats {
  readonly text: (value: unknown) => string;
  /** A value at an axis, where a moment has less room. */
  readonly label: (value: unknown) => string;
  readonly axis: (value: number) => string;
  readonly compare: (one: unknown, other: unknown) => number;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?$/;
const ZONE = /(Z|[+-]\d{2}(:?\d{2})?)$/;
const INTEGER = /^-?\d+$/;

type Style = Pick<Intl.DateTimeFormatOptions, 'dateStyle' | 'timeStyle'>;

/** The reader's language and time zone, as a host knows them. */
interface Reader {
  readonly locale?: string;
  readonly timeZone?: string;
}

/** Makes the formats of a reader; an unknown language or time zone counts as the browser's. */
export function createFormats({ locale, timeZone }: Reader): Formats {
  const make = <T>(create: (language: string | undefined, zone: string | undefined) => T): T => {
    try {
      return create(locale, timeZone);
    } catch {
      return create(undefined, undefined);
    }
  };
  const numbers = (options: Intl.NumberFormatOptions) =>
    make((language) => new Intl.NumberFormat(language, options));
  const number = numbers({ maximumFractionDigits: 6 });
  // A small number rounded to a fixed number of digits would be another number, such as 0.
  const small = numbers({ maximumSignificantDigits: 6 });
  const tiny = numbers({ maximumSignificantDigits: 6, notation: 'scientific' });
  // The numbers at an axis are round already. Fewer digits would give neighbours the same text.
  const large = numbers({ notation: 'compact', maximumFractionDigits: 6 });
  const round = numbers({ maximumFractionDigits: 12 });
  const day = make((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }));
  // A time without an offset is of no zone, which the reader's zone must not shift.
  const moments = (style: Style) => {
    const zoned = make(
      (language, zone) =>
        new Intl.DateTimeFormat(language, { ...style, ...(zone === undefined ? {} : { timeZone: zone }) }),
    );
    const civil = make((language) => new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' }));
    return (value: string, time: number) => (ZONE.test(value) ? zoned : civil).format(time);
  };
  const minute = moments({ dateStyle: 'medium', timeStyle: 'short' });
  const second = moments({ dateStyle: 'medium', timeStyle: 'medium' });
  const brief = moments({ dateStyle: 'short', timeStyle: 'short' });
  const { compare: compareTexts } = make((language) => new Intl.Collator(language));
  const figure = (value: number): string => {
    const size = Math.abs(value);
    if (size === 0 || size >= 1e-3) return number.format(value);
    return (size < 1e-9 ? tiny : small).format(value);
  };
  const text = (value: unknown): string => {
    if (value === null || value === undefined) return '';
    if (typeof value === 'number') return figure(value);
    if (typeof value !== 'string') return JSON.stringify(value);
    const time = toTime(value);
    if (Number.isNaN(time)) return value;
    if (DATE.test(value)) return day.format(time);
    return (time % 60_000 === 0 ? minute : second)(value, time);
  };
  return {
    text,
    label: (value) =>
      typeof value === 'string' && !DATE.test(value) && isTime(value)
        ? brief(value, toTime(value))
        : shorten(text(value)),
    axis: (value) => {
      const size = Math.abs(value);
      if (size >= 10_000) return large.format(value);
      return (size === 0 || size >= 1e-6 ? round : tiny).format(value);
    },
    compare: (one, other) => compareNumbers(one, other) ?? compareTexts(String(one), String(other)),
  };
}

function shorten(text: string): string {
  return text.length > 12 ? `${text.slice(0, 11)}…` : text;
}

/** Null if one of them is no number. Whole numbers that a double cannot hold are compared by all their digits. */
function compareNumbers(one: unknown, other: unknown): number | null {
  const [left, right] = [toNumber(one), toNumber(other)];
  if (Number.isNaN(left) || Number.isNaN(right)) return null;
  if (left !== right) return left < right ? -1 : 1;
  const [exact, otherExact] = [String(one), String(other)];
  if (!INTEGER.test(exact) || !INTEGER.test(otherExact)) return 0;
  return Number(BigInt(exact) > BigInt(otherExact)) - Number(BigInt(exact) < BigInt(otherExact));
}

/** A date or a moment in milliseconds since 1970; NaN for any other value, also for a day that no calendar has. */
export function toTime(value: unknown): number {
  if (typeof value !== 'string' || !(DATE.test(value) || MOMENT.test(value))) return Number.NaN;
  const date = value.slice(0, 10);
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return Number.NaN;
  if (DATE.test(value)) return day.getTime();
  const iso = value.replace(' ', 'T');
  return new Date(ZONE.test(value) ? iso : `${iso}Z`).getTime();
}

/** The moment of a number of seconds since 1970; the value itself if it is none. */
export function fromSeconds(value: unknown): unknown {
  const time = new Date(toNumber(value) * 1000);
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}

/** Whether a value is a date or a moment. */
export function isTime(value: unknown): boolean {
  return !Number.isNaN(toTime(value));
}

/** A value as a number; NaN for one that is not. Exact decimals travel as texts. */
export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN;
}
