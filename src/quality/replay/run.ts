import type { EndpointKind } from '../../project/model.ts';
import { compareEnded, type ReplayDifference } from './compare.ts';
import { type Ended, type RecordedCall, type SkipReason, toRecordedCall } from './record.ts';

/** The server against which recorded calls are repeated. */
export interface Player {
  /** Classifies an endpoint. Only endpoints that read are called. */
  readonly kindOf: (kind: EndpointKind, name: string) => 'reads' | 'writes' | 'unlisted' | 'asks' | 'gone';
  /** Repeats a call. Returns the reason if the outcome shows nothing about the endpoint. */
  readonly play: (call: RecordedCall) => Promise<Ended | { readonly skip: SkipReason }>;
  readonly close: () => Promise<void>;
}

/** A call whose outcome differs from the record. Plain JSON, without parameters. */
export type Replayed = {
  readonly record_id: string;
  readonly timestamp: string;
  readonly operation_type: EndpointKind;
  readonly operation_name: string;
  readonly differences: readonly ReplayDifference[];
  readonly time: { readonly old: number; readonly new: number };
};

/** The report of a replay. Plain JSON. */
export type ReplayReport = {
  /** `incomplete` if nothing differs, and the server stayed away before the end. */
  readonly status: 'ok' | 'different' | 'incomplete';
  readonly records: number;
  readonly replayed: number;
  readonly same: number;
  readonly different: number;
  readonly skipped: { readonly [reason in SkipReason]?: number };
  /**
   * Total milliseconds of all replayed calls. `slower` counts those
   * that took more than twice as long and at least 50 ms more.
   */
  readonly time: { readonly old: number; readonly new: number; readonly slower: number };
  readonly differences: readonly Replayed[];
};

/** Fields of a record; null for a line that is not a record. */
export type RecordFields = { readonly [field: string]: unknown } | null;

const SLOWER_MS = 50;
/** The calls in a row without an answer after which the server counts as away. */
const MOST_LOST = 3;

/** Repeats recorded reads, one after the other, and compares their outcomes. Stops if the server stays away. */
export async function replay(
  records: AsyncIterable<RecordFields>,
  player: Player,
  onCall: (name: string) => void = () => {},
): Promise<ReplayReport> {
  const skipped: { [reason in SkipReason]?: number } = {};
  const differences: Replayed[] = [];
  const time = { old: 0, new: 0, slower: 0 };
  const patient = untilAway(player);
  let [many, replayed] = [0, 0];
  for await (const fields of records) {
    many += 1;
    const chosen = fields === null ? { skip: 'foreign' as const } : choose(fields, player);
    if ('call' in chosen) onCall(chosen.call.name);
    const one = 'skip' in chosen ? chosen : await replayOne(chosen.call, patient);
    if ('skip' in one) {
      skipped[one.skip] = (skipped[one.skip] ?? 0) + 1;
      continue;
    }
    replayed += 1;
    time.old += one.time.old;
    time.new += one.time.new;
    if (one.time.new > Math.max(2 * one.time.old, one.time.old + SLOWER_MS)) time.slower += 1;
    if (one.differences.length > 0) differences.push(one);
  }
  const different = differences.length;
  const status = different > 0 ? 'different' : patient.isAway() ? 'incomplete' : 'ok';
  const counts = { records: many, replayed, same: replayed - different, different };
  return { status, ...counts, skipped, time, differences };
}

/** A player that stops to call a server which gave no answer several times in a row. */
function untilAway(player: Player): Player & { readonly isAway: () => boolean } {
  let lost = 0;
  const isAway = () => lost >= MOST_LOST;
  return {
    ...player,
    isAway,
    play: async (call) => {
      if (isAway()) return { skip: 'away' };
      const played = await player.play(call);
      const isLost = 'skip' in played ? played.skip === 'away' : played.lost === true;
      lost = isLost ? lost + 1 : 0;
      return played;
    },
  };
}

function choose(
  fields: { readonly [field: string]: unknown },
  player: Player,
): { readonly call: RecordedCall } | { readonly skip: SkipReason } {
  const found = toRecordedCall(fields);
  if ('skip' in found) return found;
  const kind = player.kindOf(found.call.kind, found.call.name);
  return kind === 'reads' || kind === 'gone' ? found : { skip: kind };
}

async function replayOne(
  call: RecordedCall,
  player: Player,
): Promise<Replayed | { readonly skip: SkipReason }> {
  const { id, timestamp, kind, name, ended } = call;
  const known = { record_id: id, timestamp, operation_type: kind, operation_name: name };
  const old = ended.durationMs;
  if (player.kindOf(kind, name) === 'gone') {
    const gone = { what: 'endpoint', old: 'served', new: 'gone' } as const;
    return { ...known, differences: [gone], time: { old, new: old } };
  }
  const again = await player.play(call);
  if ('skip' in again) return again;
  return { ...known, differences: compareEnded(ended, again), time: { old, new: again.durationMs } };
}
