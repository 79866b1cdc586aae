/** Formats and compares values for the reader's language and time zone. */
export interface Formats {
  readonly text: (value: unknown) => string;
  /** A value of a column of numbers. Exact decimals travel as texts, and keep all their digits. */
  readonly number: (value: unknown) => string;
  /** Values along an axis, where they have less room. Different values have different labels, if twelve characters suffice. */
  readonly along: (values: readonly unknown[]) => readonly string[];
  /** The round numbers at an axis. */
  readonly axis: (ticks: readonly number[]) => readonly string[];
  readonly compare: (one: unknown, other: unknown) => number;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?$/;
const ZONE = /(Z|[+-]\d{2}(:?\d{2})?)$/;
const CLOCK = /^([01]\d|2[0-4]):([0-5]\d):([0-5]\d(?:\.\d+)?)$/;
const INTEGER = /^-?\d+$/;
/** The letters of a label that have room along an axis. */
const MOST_LETTERS = 12;

type Style = Pick<Intl.DateTimeFormatOptions, 'dateStyle' | 'timeStyle'>;

/** The reader's language and time zone, as a host knows them. */
interface Reader {
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** Makes the formats of a reader; an unknown language or time zone counts as the browser's. */
export function createFormats(reader: Reader): Formats {
  const language = isKnown({ locale: reader.locale }) ? reader.locale : undefined;
  const timeZone = isKnown({ timeZone: reader.timeZone }) ? reader.timeZone : undefined;
  const numbers = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options);
  const number = numbers({ maximumFractionDigits: 6 });
  // A small number rounded to a fixed number of digits would be another number, such as 0.
  const small = numbers({ maximumSignificantDigits: 6 });
  const tiny = numbers({ maximumSignificantDigits: 6, notation: 'scientific' });
  // The numbers at an axis are round already. Fewer digits would give neighbours the same text.
  const large = numbers({ notation: 'compact', maximumFractionDigits: 6 });
  // Four digits may be a year, which has no separator.
  const round = numbers({ maximumFractionDigits: 12, useGrouping: 'min2' });
  const exact = numbers({ maximumFractionDigits: 20 });
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  // A time without an offset is of no zone, which the reader's zone must not shift.
  const moments = (style: Style) => {
    const zoned = new Intl.DateTimeFormat(language, {
      ...style,
      ...(timeZone === undefined ? {} : { timeZone }),
    });
    const civil = new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' });
    return (value: string, time: number) => (ZONE.test(value) ? zoned : civil).format(time);
  };
  const minute = moments({ dateStyle: 'medium', timeStyle: 'short' });
  const second = moments({ dateStyle: 'medium', timeStyle: 'medium' });
  const brief = moments({ dateStyle: 'short', timeStyle: 'short' });
  const { compare: compareTexts } = new Intl.Collator(language);
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
  const label = (value: unknown): string => {
    if (typeof value === 'string' && !DATE.test(value) && isTime(value)) return brief(value, toTime(value));
    return Number.isInteger(value) ? round.format(Number(value)) : text(value);
  };
  const axis = (tick: number): string => {
    const size = Math.abs(tick);
    if (size >= 10_000) return large.format(tick);
    return (size === 0 || size >= 1e-6 ? round : tiny).format(tick);
  };
  return {
    text,
    number: (value) =>
      typeof value === 'string' && Number.isFinite(toNumber(value)) && !/^-?0\d/.test(value)
        ? exact.format(value as `${number}`)
        : text(value),
    along: (values) => {
      const full = values.map(label);
      const toLabels = (shorten: (text: string) => string) =>
        full.map((one, index) => (one.length <= MOST_LETTERS || isTime(values[index]) ? one : shorten(one)));
      const labels = toLabels((one) => `${one.slice(0, MOST_LETTERS - 1)}…`);
      if (new Set(labels).size === new Set(full).size) return labels;
      return toLabels((one) => `${one.slice(0, 5)}…${one.slice(6 - MOST_LETTERS)}`);
    },
    axis: (ticks) => {
      const labels = ticks.map(axis);
      return new Set(labels).size === ticks.length ? labels : ticks.map((tick) => round.format(tick));
    },
    compare: (one, other) => compareNumbers(one, other) ?? compareTexts(String(one), String(other)),
  };
}

/** Whether the browser knows a language or a time zone. */
function isKnown({ locale, timeZone }: Reader): boolean {
  try {
    new Intl.DateTimeFormat(locale, { ...(timeZone === undefined ? {} : { timeZone }) });
    return true;
  } catch {
    return false;
  }
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

/** A time of day in milliseconds since midnight; NaN for any other value. */
export function toClock(value: unknown): number {
  const [, hours, minutes, seconds] = (typeof value === 'string' && CLOCK.exec(value)) || [];
  return (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
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
