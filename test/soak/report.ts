import { toLines } from '../bench/report.ts';
import type { Result } from './soak.ts';

/** The report of a run in Markdown. */
export function toReport(
  results: readonly Result[],
  { command, seed, pauseMs }: { readonly command: string; readonly seed: number; readonly pauseMs: number },
): string {
  const seconds = Math.round(Math.max(0, ...results.map((result) => result.seconds)));
  const problems = results.flatMap((result) => result.problems);
  return [
    `## Soak: ${seconds} seconds, seed ${seed}`,
    `\`${command}\`, Node ${process.version}. The servers ran side by side. The clients' own process stood still for ${toMs(pauseMs)} at most.`,
    toLines(
      [
        'server',
        'capacity',
        'calls',
        'right',
        'refused',
        'busy',
        'blocked',
        'unknown',
        'blamed',
        'failed',
        'wrong',
        'lost',
        'longest',
      ],
      results.map(toCallCells),
    ),
    toLines(['server', 'fault', 'times', 'right again after'], results.flatMap(toFaultCells)),
    toLines(
      ['server', 'quarter', 'middle', 'most', 'most of a process below'],
      results.flatMap(toMemoryCells),
    ),
    toLines(
      [
        'server',
        'audit records',
        'calls with a wrong number',
        'calls in the metrics',
        'rows acknowledged',
        'rows missing',
        'processes left',
      ],
      results.map(toCheckCells),
    ),
    problems.length === 0
      ? 'No problem was found.'
      : `### Problems\n\n${problems.map((one) => `- ${one}`).join('\n')}`,
  ].join('\n\n');
}

function toCallCells({ kind, capacity, calls, outcomes, longestMs }: Result): readonly string[] {
  const { right, refused, busy, blocked, unknown, blamed, failed, wrong, lost } = outcomes;
  const counts = [calls, right, refused, busy, blocked, unknown, blamed, failed, wrong, lost].map(String);
  return [kind, `${Math.round(capacity)}/s`, ...counts, toMs(longestMs)];
}

const toMs = (ms: number): string => `${Math.round(ms)} ms`;

function toFaultCells({ kind, faults }: Result): readonly (readonly string[])[] {
  const sorted = [...faults].toSorted(([one], [other]) => one.localeCompare(other));
  return sorted.map(([name, { count, longestMs }]) => [kind, name, String(count), toMs(longestMs)]);
}

function toMemoryCells({ kind, memory }: Result): readonly (readonly string[])[] {
  return memory.map(({ middle, most, mostBelow }, index) => [
    kind,
    String(index + 1),
    ...[middle, most, mostBelow].map((megabytes) => `${Math.round(megabytes)} MB`),
  ]);
}

function toCheckCells({ kind, records, metrics, written, left }: Result): readonly string[] {
  const counts = [records.records, records.wrong, metrics.counted, written.acknowledged, written.missing];
  return [kind, ...counts.map(String), String(left.length)];
}
