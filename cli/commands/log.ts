import { existsSync, fstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { exportCsv, exportDuckdb } from '../../adapters/audit/export.ts';
import { createAuditQuery, filesOf } from '../../adapters/audit/query.ts';
import { makeFolder } from '../../adapters/node/make-folder.ts';
import type { AuditFilter } from '../../src/audit/filter.ts';
import type { FoundRecord } from '../../src/audit/query.ts';
import { type AuditGroup, type AuditStats, type Tally, toStats, toTallies } from '../../src/audit/stats.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonValue } from '../../src/json.ts';
import { oneLine } from '../../src/one-line.ts';
import { type CommandInput, numberOf, type Run } from '../command.ts';
import { count, type Output, styled, toColumns } from '../io/output.ts';
import { type AuditLog, auditFilterOf, auditOf, isFolder } from '../log/audit-log.ts';

const MAX_SHOWN = 1_000_000;

/** `svc log`: shows the records of the profile's audit log, newest first. */
export const run: Run = async (input, output) => {
  const log = await auditOf(input);
  const filter = auditFilterOf(input, Date.now());
  const limit = numberOf(input, 'limit', 100, MAX_SHOWN);
  await noteMissing(log, output);
  const exports = await exportAll(input, log.path, filter);
  if (exports.length > 0) {
    const told = exports.map(({ file, records }) => `${count(records, 'record')} written to ${file}`);
    if (exports.some(({ file }) => isStdout(file))) output.note(told.join('\n'));
    else output.data({ exports: exports.map((one) => ({ ...one })) }, () => told.join('\n'));
  } else if (input.flag('stats')) await showStats(log, filter, output);
  else await showRecords(log, filter, limit, output);
  return 0;
};

async function showRecords(
  { path }: AuditLog,
  filter: AuditFilter,
  limit: number,
  output: Output,
): Promise<void> {
  const query = createAuditQuery(path);
  const page = await query.query(filter, { limit, offset: 0 });
  const { records, total, foreign } = page;
  const document = { count: records.length, total, foreign, records: records.map(toJson) };
  output.data(document, () => (records.length === 0 ? 'no records' : toRecordTable(records)));
  if (output.json) return;
  if (total > records.length) {
    output.note(`Only the newest ${records.length} of ${total} are shown. Use a filter, or raise --limit.`);
  }
  noteForeign(foreign, output);
}

async function showStats({ path }: AuditLog, filter: AuditFilter, output: Output): Promise<void> {
  const query = createAuditQuery(path);
  const { groups, foreign } = await query.groups(filter);
  const stats = toStats(groups);
  const document = {
    ...stats,
    foreign,
    by_hour: toTallies(groups, ({ hour }) => hour).map((tally) => ({ ...tally })),
    by_endpoint: toTallies(groups, ({ type, name }) => `${type} ${name ?? '-'}`).map((tally) => ({
      ...tally,
    })),
  };
  output.data(document, () => toStatsText(stats, groups));
  if (!output.json) noteForeign(foreign, output);
}

interface Exported {
  readonly file: string;
  readonly records: number;
}

/** Writes all matching records to the files that the options name, and makes their folders. `--limit` is refused. */
async function exportAll(
  input: CommandInput,
  path: string,
  filter: AuditFilter,
): Promise<readonly Exported[]> {
  const targets = [
    { option: '--export-csv', given: input.text('exportCsv'), extension: 'csv', write: exportCsv },
    {
      option: '--export-duckdb',
      given: input.text('exportDuckdb'),
      extension: 'duckdb',
      write: exportDuckdb,
    },
  ];
  const done: Exported[] = [];
  for (const { option, given, extension, write } of targets) {
    if (given === undefined) continue;
    if (input.text('limit') !== undefined) {
      throw new SvcError(
        'usage',
        'An export contains all matching records. Leave out --limit, or filter with --since.',
      );
    }
    const file = resolve(given);
    if (isFolder(file)) {
      const example = join(given, `logs.${extension}`);
      throw new SvcError(
        'usage',
        `${option} ${given}: this is a folder. Name a file in it, such as ${example}.`,
      );
    }
    if ((await filesOf(path, {})).includes(file)) {
      throw new SvcError('usage', `${given} is a file of the audit log. Name another file for the export.`);
    }
    makeFolder(dirname(file));
    done.push({ file, records: await write(path, filter, file) });
  }
  return done;
}

/** Whether a path leads to the standard output, as `/dev/stdout` does. A sentence would end up among the records. */
function isStdout(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  const own = fstatSync(process.stdout.fd);
  return found !== undefined && found.dev === own.dev && found.ino === own.ino;
}

/** Says that there is no audit log, because an empty result would look the same. */
async function noteMissing({ path, profile, settings }: AuditLog, output: Output): Promise<void> {
  if (existsSync(path) || (await filesOf(path, {})).length > 0) return;
  const hint = settings.enabled
    ? 'The first call creates it.'
    : `Set \`profiles.${profile}.audit.enabled: true\` in svc-site.yml, or SVC_AUDIT_ENABLED=1.`;
  output.note(`There is no audit log at ${path} yet. ${hint}`);
}

function noteForeign(foreign: number, output: Output): void {
  if (foreign > 0)
    output.note(`${count(foreign, 'line')} could not be read: they are damaged, or are not audit records.`);
}

function toJson(record: { readonly [field: string]: unknown }): JsonValue {
  return record as { readonly [field: string]: JsonValue };
}

const MAX_CELL = 60;
const MAX_BARS = 48;
const WIDTH = 40;

/** Formats records as aligned columns, one line each. */
function toRecordTable(records: readonly FoundRecord[]): string {
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

/** Formats a value on one line. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = oneLine(text);
  return plain.length > MAX_CELL ? `${plain.slice(0, MAX_CELL - 1)}…` : plain;
}

/** Formats sums, with bars of calls by hour and by endpoint. */
function toStatsText(stats: AuditStats, groups: readonly AuditGroup[]): string {
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
