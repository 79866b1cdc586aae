const PARTS =
  /^([+-]?)P(?:([+-]?\d+)W)?(?:([+-]?\d+)Y)?(?:([+-]?\d+)M)?(?:([+-]?\d+)D)?(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+(?:\.\d+)?)S)?)?$/;
const UNITS = ['weeks', 'years', 'months', 'days', 'hours', 'minutes', 'seconds'];

/** An ISO 8601 duration as DuckDB reads intervals: `1 years 2 days`. */
export function toIntervalText(duration: string): string {
  const [, sign = '', ...amounts] = PARTS.exec(duration) ?? [];
  const parts = UNITS.flatMap((unit, index) => {
    const amount = amounts[index];
    return amount === undefined ? [] : [`${signed(sign, amount)} ${unit}`];
  });
  return parts.length === 0 ? duration : parts.join(' ');
}

/** Seconds since the epoch as an ISO 8601 time in UTC, to the microsecond. */
export function toTimestampText(seconds: string): string {
  const number = Number(seconds);
  const micros = Math.round((number - Math.floor(number)) * 1_000_000);
  const whole = new Date((Math.floor(number) + Math.floor(micros / 1_000_000)) * 1000);
  const fraction = String(micros % 1_000_000).padStart(6, '0');
  return `${whole.toISOString().slice(0, 19)}.${fraction}Z`;
}

function signed(sign: string, amount: string): string {
  if (sign !== '-') return amount.replace('+', '');
  return amount.startsWith('-') ? amount.slice(1) : `-${amount.replace('+', '')}`;
}
