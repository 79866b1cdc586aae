import { type Report, toLines } from '../report.ts';
import { areRight, callsPerSecond, cpuPerCall, groupsOf, middleOf, type Stretch, sumOf } from './contest.ts';

/** The table of a contest. With a base, one column compares the processor time of each server with the base's. */
export function toContestReport(stretches: readonly Stretch[], base: string | null): Report {
  const compared = base === null ? [] : ['CPU, of engine'];
  const head = ['server', 'connections', 'calls/s', 'CPU ms a call', ...compared];
  const rows = groupsOf(stretches).map((group) => toCells(group, stretches, base));
  return {
    table: toLines([...head, 'p50 ms', 'p99 ms', 'wrong', 'failed'], rows),
    kept: areRight(stretches),
  };
}

/** The middle round counts; wrong and failed answers of all rounds are added up. */
function toCells(group: readonly Stretch[], all: readonly Stretch[], base: string | null): readonly string[] {
  const [first] = group;
  return [
    first?.name ?? '',
    String(first?.connections),
    middleOf(group, callsPerSecond).toFixed(0),
    middleOf(group, cpuPerCall).toFixed(3),
    ...(base === null ? [] : [`${middleOf(group, (stretch) => ofBase(stretch, all, base)).toFixed(2)}x`]),
    middleOf(group, ({ p50 }) => p50).toFixed(2),
    middleOf(group, ({ p99 }) => p99).toFixed(1),
    first?.checked ? String(sumOf(group, ({ wrong }) => wrong)) : '',
    String(sumOf(group, ({ failed }) => failed)),
  ];
}

/** The processor time of a stretch as a part of the base's in the same round. */
function ofBase(stretch: Stretch, all: readonly Stretch[], base: string): number {
  const other = all.find(
    ({ name, connections, round }) =>
      name === base && connections === stretch.connections && round === stretch.round,
  );
  return other === undefined ? Number.NaN : cpuPerCall(stretch) / cpuPerCall(other);
}
