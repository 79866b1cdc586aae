import { basename } from 'node:path';
import { deleteOlder, listOlder } from '../../adapters/audit/audit-files.ts';
import { countRecords } from '../../adapters/audit/read-lines.ts';
import { toDuration } from '../../src/audit/time-range.ts';
import { SvcError } from '../../src/errors.ts';
import type { CommandInput, Run } from '../command.ts';
import { count } from '../io/output.ts';
import { auditOf } from '../log/audit-log.ts';

const DAY = 86_400_000;
const DEFAULT_DAYS = 90;

/** `svc log-cleanup`: deletes rotated audit files that are older than the retention time. */
export const run: Run = async (input, output) => {
  const { path, settings } = await auditOf(input);
  const age = ageOf(input) ?? (settings.retentionDays ?? DEFAULT_DAYS) * DAY;
  const dryRun = input.flag('dryRun');
  const before = Date.now() - age;
  const old = await listOlder(path, before);
  // We count before we delete, so that --dry-run and the real run report the same.
  const files: { file: string; records: number }[] = [];
  for (const file of old) files.push({ file: file.path, records: await countRecords(file.path) });
  if (!dryRun) await deleteOlder(path, before);
  const records = files.reduce((sum, file) => sum + file.records, 0);
  const older = `older than ${new Date(before).toISOString()}`;
  output.data(
    { status: dryRun ? 'dry_run' : 'success', before: new Date(before).toISOString(), records, files },
    () => {
      if (files.length === 0) return `nothing is ${older}`;
      const what = `${count(files.length, 'file')} with ${count(records, 'record')}, ${older}`;
      const names = files.map(({ file }) => `  ${basename(file)}`).join('\n');
      return `${dryRun ? 'would delete' : 'deleted'} ${what}:\n${names}`;
    },
  );
  return 0;
};

function ageOf(input: CommandInput): number | null {
  const given = input.text('olderThan');
  if (given === undefined) return null;
  const age = toDuration(given);
  if (age !== null) return age;
  throw new SvcError(
    'usage',
    `--older-than ${given} is not a time. Write a number and a unit, such as 30d or 12h.`,
  );
}
