import type { JsonValue } from '../../src/json.ts';
import type { ReplayDifference } from '../../src/quality/replay/compare.ts';
import { SKIP_REASONS } from '../../src/quality/replay/record.ts';
import type { Replayed, ReplayReport } from '../../src/quality/replay/run.ts';
import { toColumns } from '../io/columns.ts';
import { count } from '../io/findings.ts';
import { styled } from '../io/output.ts';

const MOST = 20;
const WIDEST = 160;

/** Formats a replay for people: the differences, the sum, the skipped records, and the time. */
export function toReplayText({ differences, ...report }: ReplayReport): string {
  const more = differences.length - MOST;
  const { replayed, same, different, records, time } = report;
  const sum = [
    styled('ok', `${same} the same`),
    ...(different > 0 ? [styled('error', `${different} different`)] : []),
  ];
  return [
    ...(differences.length > 0 ? [toColumns(differences.slice(0, MOST).flatMap(toRows))] : []),
    ...(more > 0 ? [`and ${more} more; --json has all`] : []),
    `${count(replayed, 'call')} replayed of ${count(records, 'record')}: ${sum.join(', ')}`,
    ...toSkippedLines(report.skipped),
    `time: ${time.old} ms as recorded, ${time.new} ms now; ${count(time.slower, 'call')} took more than twice as long`,
  ].join('\n');
}

function toRows({ operation_type, operation_name, record_id, differences, time }: Replayed) {
  const head = styled('strong', `${operation_type} ${operation_name}`);
  const rows = differences.map((one) => ['', styled('error', one.what), toChangeText(one)]);
  return [[head, '', styled('dim', `${record_id}, ${time.old} -> ${time.new} ms`)], ...rows];
}

function toChangeText({ path, old, new: now }: ReplayDifference): string {
  return `${path ? `${path}: ` : ''}${toShort(old)} -> ${toShort(now)}`;
}

function toShort(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}

function toSkippedLines(skipped: ReplayReport['skipped']): readonly string[] {
  return Object.entries(SKIP_REASONS).flatMap(([reason, text]) => {
    const many = Object.entries(skipped).find(([name]) => name === reason)?.[1] ?? 0;
    return many === 0 ? [] : [styled('dim', `${many} skipped: ${text}`)];
  });
}
