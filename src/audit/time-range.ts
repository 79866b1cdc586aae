const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?$/i;

/** Parses `24h`, `7d`, `90m`, `30s` or `2w` to milliseconds; null for any other text. */
export function toDuration(text: string): number | null {
  const found = /^(\d{1,9})([smhdw])$/.exec(text.trim());
  return found === null ? null : Number(found[1]) * (UNITS[found[2] ?? ''] ?? 0);
}

/**
 * Parses an ISO 8601 date or time to the form in records; null for any other text. A time
 * without a zone is UTC, on every machine. A date at the end of a range includes that day.
 */
export function toMoment(text: string, edge: 'start' | 'end'): string | null {
  const given = text.trim();
  if (DATE.test(given)) return toIso(`${given}T${edge === 'start' ? '00:00:00.000' : '23:59:59.999'}Z`);
  const [, date, time, zone] = DATE_TIME.exec(given) ?? [];
  return date === undefined ? null : toIso(`${date}T${time}${(zone ?? 'Z').toUpperCase()}`);
}

function toIso(text: string): string | null {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return null;
  // JavaScript would read `2026-02-30` as a day in March.
  const day = Number(text.slice(8, 10));
  const last = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return day <= last ? moment.toISOString() : null;
}
