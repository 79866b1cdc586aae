import { toOperationName } from '../audit/record.ts';
import type { CallObserver, CallRecord } from '../call/call-record.ts';
import { toAuditDecision } from '../policy/decision.ts';
import type { Clock } from '../ports.ts';
import type { Activity } from './source.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
const CALLS = 20;

interface Minute {
  calls: number;
  errors: number;
  denials: number;
  totalMs: number;
  slowestMs: number;
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
  const observe: CallObserver = (record) => {
    const minute = Math.floor(record.startedAt / MINUTE_MS);
    minutes.set(minute, added(minutes.get(minute), record));
    for (const old of minutes.keys()) if (old <= minute - MINUTES) minutes.delete(old);
    calls.unshift(toLine(record));
    calls.length = Math.min(calls.length, CALLS);
  };
  const activity = (): Activity => {
    const last = Math.floor(clock.now() / MINUTE_MS);
    const known = Array.from({ length: MINUTES }, (_, index) => last - MINUTES + 1 + index);
    return { minutes: known.map((minute) => toPoint(minute, minutes.get(minute))), calls: [...calls] };
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

function toPoint(minute: number, { calls, errors, denials, totalMs, slowestMs }: Minute = EMPTY) {
  return {
    minute: new Date(minute * MINUTE_MS).toISOString(),
    calls,
    errors,
    denials,
    average_ms: calls === 0 ? 0 : Math.round((totalMs / calls) * 10) / 10,
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
