import { toOperationName } from '../audit/record.ts';
import type { CallObserver, CallRecord } from '../call/call-record.ts';
import { toAuditDecision } from '../policy/decision.ts';
import type { Clock } from '../ports.ts';
import type { Activity } from './source.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
const CALLS = 20;
/** The durations of an endpoint that its percentiles come from. */
const DURATIONS = 512;

interface Minute {
  calls: number;
  errors: number;
  denials: number;
  totalMs: number;
  slowestMs: number;
}

interface Tally {
  calls: number;
  errors: number;
  denials: number;
  rows: number;
  cached: number;
  /** The latest durations, in milliseconds, in no order. */
  readonly durations: number[];
}

/** Recent calls in memory, without arguments and results. */
export interface Recent {
  readonly observe: CallObserver;
  readonly activity: () => Activity;
}

/** Counts the calls of the last hour by minute and keeps the last few calls. */
export function createRecent(clock: Clock): Recent {
  const minutes = new Map<number, Minute>();
  const calls: Activity['calls'] = [];
  const tallies = new Map<string, Tally>();
  const observe: CallObserver = (record) => {
    const minute = Math.floor(record.startedAt / MINUTE_MS);
    minutes.set(minute, added(minutes.get(minute), record));
    for (const old of minutes.keys()) if (old <= minute - MINUTES) minutes.delete(old);
    if (record.entry !== null) tally(tallies, record);
    calls.unshift(toLine(record));
    calls.length = Math.min(calls.length, CALLS);
  };
  const activity = (): Activity => {
    const last = Math.floor(clock.now() / MINUTE_MS);
    const known = Array.from({ length: MINUTES }, (_, index) => last - MINUTES + 1 + index);
    return {
      minutes: known.map((minute) => toPoint(minute, minutes.get(minute))),
      calls: [...calls],
      endpoints: [...tallies].map(toStatistics),
    };
  };
  return { observe, activity };
}

const EMPTY: Minute = { calls: 0, errors: 0, denials: 0, totalMs: 0, slowestMs: 0 };

function added(minute: Minute = EMPTY, { status, decision, durationMs }: CallRecord): Minute {
  return {
    calls: minute.calls + 1,
    errors: minute.errors + (status === 'error' ? 1 : 0),
    denials: minute.denials + (decision.outcome === 'deny' ? 1 : 0),
    totalMs: minute.totalMs + durationMs,
    slowestMs: Math.max(minute.slowestMs, durationMs),
  };
}

/** Counts a call under its endpoint. Unknown names are not counted, so that clients cannot fill the memory. */
function tally(tallies: Map<string, Tally>, record: CallRecord): void {
  const name = `${record.kind}/${toOperationName(record)}`;
  const before = tallies.get(name);
  const own = before ?? { calls: 0, errors: 0, denials: 0, rows: 0, cached: 0, durations: [] };
  if (before === undefined) tallies.set(name, own);
  own.durations[own.calls % DURATIONS] = record.durationMs;
  own.calls += 1;
  if (record.status === 'error') own.errors += 1;
  if (record.decision.outcome === 'deny') own.denials += 1;
  if (record.cached === true) own.cached += 1;
  own.rows += Array.isArray(record.result) ? record.result.length : record.result === null ? 0 : 1;
}

function toStatistics([endpoint, { durations, rows, cached, ...counts }]: readonly [string, Tally]) {
  const sorted = durations.toSorted((one, other) => one - other);
  const at = (share: number) => round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return {
    endpoint,
    ...counts,
    rows,
    cache_hits: cached,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    p99_ms: at(0.99),
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function toPoint(minute: number, { calls, errors, denials, totalMs, slowestMs }: Minute = EMPTY) {
  return {
    minute: new Date(minute * MINUTE_MS).toISOString(),
    calls,
    errors,
    denials,
    average_ms: calls === 0 ? 0 : round(totalMs / calls),
    slowest_ms: slowestMs,
  };
}

function toLine(call: CallRecord) {
  const { startedAt, kind, status, error, decision, durationMs } = call;
  return {
    timestamp: new Date(startedAt).toISOString(),
    type: kind,
    name: toOperationName(call),
    status,
    error: error?.code ?? null,
    policy_decision: toAuditDecision(decision),
    duration_ms: durationMs,
  };
}
