import type { FoundRecord } from '../../src/audit/query.ts';
import { type AuditGroup, type AuditStats, type Tally, toTallies } from '../../src/audit/stats.ts';
import { toColumns } from '../io/columns.ts';
import { count } from '../io/findings.ts';
import { styled } from '../io/output.ts';

const MAX_CELL = 60;
const MAX_BARS = 48;
const WIDTH = 40;

/** Formats records as aligned columns, one line each. */
export function toRecordTable(records: readonly FoundRecord[]): string {
  const head = ['time (UTC)', 'type', 'name', 'status', 'policy', 'ms', 'user', ''];
  return toColumns([head.map((cell) => styled('dim', cell)), ...records.map(toRow)]);
}

function toRow(record: FoundRecord): readonly string[] {
  const status = toCell(record.operation_status);
  const policy = toCell(record.policy_decision);
  return [
    toCell(record.timestamp).replace('T', ' ').replace('Z', ''),
    toCell(record.operation_type),
    styled('strong', toCell(record.operation_name)),
    styled(status === 'success' ? 'ok' : 'error', status),
    policy === 'deny' ? styled('warning', policy) : policy,
    toCell(record.duration_ms),
    toCell(record.user_id),
    styled('dim', toCell(record.policy_reason ?? record.error_message)),
  ];
}

/**
 * Formats a value on one line. Clients choose some values, so control characters are removed: they could steer the
 * terminal.
 */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return plain.length > MAX_CELL ? `${plain.slice(0, MAX_CELL - 1)}…` : plain;
}

/** Formats sums, with bars of calls by hour and by endpoint. */
export function toStatsText(stats: AuditStats, groups: readonly AuditGroup[]): string {
  if (stats.total_records === 0) return 'no records';
  const { by_type, by_status, by_policy } = stats;
  const hours = toTallies(groups, ({ hour }) => hour).toSorted((one, other) =>
    one.key < other.key ? -1 : 1,
  );
  const names = toTallies(groups, ({ type, name }) => `${type} ${toCell(name)}`);
  const busiest = names.toSorted((one, other) => other.calls - one.calls || (one.key < other.key ? -1 : 1));
  return [
    `${count(stats.total_records, 'record')} from ${stats.earliest_timestamp} to ${stats.latest_timestamp}`,
    `types     ${sharesOf(by_type)}`,
    `status    ${sharesOf(by_status)}`,
    `policies  ${sharesOf(by_policy)}`,
    '',
    toBars('calls by hour (UTC)', hours.slice(-MAX_BARS), hours.length),
    '',
    toBars('calls by endpoint', busiest.slice(0, MAX_BARS), busiest.length),
  ].join('\n');
}

function sharesOf(figures: { readonly [name: string]: number }): string {
  return Object.entries(figures)
    .map(([name, many]) => `${name} ${many}`)
    .join(', ');
}

function toBars(title: string, tallies: readonly Tally[], all: number): string {
  const most = Math.max(1, ...tallies.map(({ calls }) => calls));
  const rows = tallies.map(({ key, calls, errors, denials }) => [
    key.replace('T', ' '),
    barOf(calls, errors, most),
    String(calls),
    errors === 0 ? '' : styled('error', `${percent(errors, calls)} errors`),
    denials === 0 ? '' : styled('warning', `${percent(denials, calls)} denied`),
  ]);
  const more = all > tallies.length ? `, ${tallies.length} of ${all}` : '';
  return `${styled('strong', `${title}${more}`)}\n${toColumns(rows, '  ')}`;
}

/** Draws a bar of the calls; its end shows the failed ones. */
function barOf(calls: number, errors: number, most: number): string {
  const length = Math.max(1, Math.round((calls / most) * WIDTH));
  const failed = errors === 0 ? 0 : Math.min(length, Math.max(1, Math.round((errors / calls) * length)));
  return (
    styled('ok', '█'.repeat(length - failed)) + (failed === 0 ? '' : styled('error', '▒'.repeat(failed)))
  );
}

function percent(part: number, whole: number): string {
  const share = (part / whole) * 100;
  return share < 1 ? '<1 %' : `${Math.round(share)} %`;
}
