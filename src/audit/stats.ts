import type { OPERATION_STATUSES, OPERATION_TYPES, POLICY_DECISIONS } from './record.ts';

/** Statistics of an audit log (spec, `GET /audit/stats`). */
export interface AuditStats {
  readonly total_records: number;
  readonly by_type: { readonly [type in (typeof OPERATION_TYPES)[number]]: number };
  readonly by_status: { readonly [status in (typeof OPERATION_STATUSES)[number]]: number };
  readonly by_policy: { readonly [decision in (typeof POLICY_DECISIONS)[number]]: number };
  /** Null if there are no records. */
  readonly earliest_timestamp: string | null;
  readonly latest_timestamp: string | null;
}

/** The number of records that share all the counted fields. */
export interface AuditGroup {
  /** For example `2026-08-01T13`, in UTC. */
  readonly hour: string;
  readonly type: string;
  readonly name: string | null;
  readonly status: string;
  /** Null in records of other programs. */
  readonly policy: string | null;
  readonly count: number;
  readonly earliest: string;
  readonly latest: string;
}

/** The number of calls of one kind, and their outcomes. */
export interface Tally {
  readonly key: string;
  readonly calls: number;
  readonly errors: number;
  readonly denials: number;
}

/** Adds up groups to the statistics. */
export function toStats(groups: readonly AuditGroup[]): AuditStats {
  const sum = (is: (group: AuditGroup) => boolean) =>
    groups.reduce((total, group) => total + (is(group) ? group.count : 0), 0);
  const ofType = (type: string) => sum((group) => group.type === type);
  const earliest = groups.map((group) => group.earliest).toSorted();
  const latest = groups.map((group) => group.latest).toSorted();
  const [allow, deny, total] = [sum(decided('allow')), sum(decided('deny')), sum(() => true)];
  return {
    total_records: total,
    by_type: { tool: ofType('tool'), resource: ofType('resource'), prompt: ofType('prompt') },
    by_status: {
      success: sum(({ status }) => status === 'success'),
      error: sum(({ status }) => status === 'error'),
    },
    by_policy: { allow, deny, 'n/a': total - allow - deny },
    earliest_timestamp: earliest[0] ?? null,
    latest_timestamp: latest.at(-1) ?? null,
  };
}

/** Adds up groups that share a key, such as the hour. */
export function toTallies(
  groups: readonly AuditGroup[],
  keyOf: (group: AuditGroup) => string,
): readonly Tally[] {
  const tallies = new Map<string, Tally>();
  for (const group of groups) {
    const key = keyOf(group);
    const { calls, errors, denials } = tallies.get(key) ?? { calls: 0, errors: 0, denials: 0 };
    tallies.set(key, {
      key,
      calls: calls + group.count,
      errors: errors + (group.status === 'error' ? group.count : 0),
      denials: denials + (group.policy === 'deny' ? group.count : 0),
    });
  }
  return [...tallies.values()];
}

function decided(policy: string): (group: AuditGroup) => boolean {
  return (group) => group.policy === policy;
}
