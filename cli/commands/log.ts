import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { exportCsv, exportDuckdb } from '../../adapters/audit/export.ts';
import { createAuditQuery, filesOf } from '../../adapters/audit/query.ts';
import type { AuditFilter } from '../../src/audit/filter.ts';
import { toStats, toTallies } from '../../src/audit/stats.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonValue } from '../../src/json.ts';
import type { Run } from '../command.ts';
import type { CommandInput } from '../io/command-input.ts';
import { count } from '../io/findings.ts';
import type { Output } from '../io/output.ts';
import { type AuditLog, auditFilterOf, auditOf, numberOf } from '../log/audit-log.ts';
import { toRecordTable, toStatsText } from '../log/audit-text.ts';

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
    output.data({ exports: exports.map((one) => ({ ...one })) }, () => told.join('\n'));
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

/** Writes all matching records to the files that the options name. `--limit` is refused. */
async function exportAll(
  input: CommandInput,
  path: string,
  filter: AuditFilter,
): Promise<readonly Exported[]> {
  const targets = [
    { given: input.text('exportCsv'), write: exportCsv },
    { given: input.text('exportDuckdb'), write: exportDuckdb },
  ];
  const done: Exported[] = [];
  for (const { given, write } of targets) {
    if (given === undefined) continue;
    if (input.text('limit') !== undefined) {
      throw new SvcError(
        'usage',
        'An export contains all matching records. Leave out --limit, or filter with --since.',
      );
    }
    const file = resolve(given);
    if ((await filesOf(path, {})).includes(file)) {
      throw new SvcError('usage', `${given} is a file of the audit log. Name another file for the export.`);
    }
    done.push({ file, records: await write(path, filter, file) });
  }
  return done;
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
