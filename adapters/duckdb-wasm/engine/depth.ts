import { Session } from '../query/session.ts';
import type { Instance } from './instance.ts';

/** The time to plan an expression grows with the cube of its depth, and nothing interrupts planning. */
const MAX_DEPTH = 200;
const MARKS = [1_234_567, 7_654_321] as const;
const CONTEXT_BYTES = 4096;

/** Limits the depth of expressions on a connection. */
export type LimitDepth = (session: Session) => void;

/**
 * DuckDB keeps `max_expression_depth` for each connection, and a locked configuration lets nobody set it. So before the
 * lock this looks where in a connection's context the setting lies, and later writes it there: a statement for each
 * request would cost a tenth of the request. Where it is not found, or does not show, the setting stays DuckDB's own.
 */
export function findDepthLimit(instance: Instance, database: number): LimitDepth {
  const probe = new Session(instance, database);
  const [first, second] = MARKS.map((mark) => {
    probe.query(`SET max_expression_depth = ${mark}`);
    return offsetsOf(instance, probe, mark);
  });
  probe.close();
  const offsets = [...(first ?? [])].filter((offset) => second?.has(offset));
  const [offset] = offsets;
  if (offset === undefined || offsets.length > 1) return () => {};
  const limit: LimitDepth = (session) =>
    instance.heap.setU32(contextOf(instance, session) + offset, MAX_DEPTH);
  return shows(instance, database, limit) ? limit : () => {};
}

/** A connection begins with the address of its context. */
function contextOf({ heap }: Instance, session: Session): number {
  return heap.u32(session.handle);
}

function offsetsOf(instance: Instance, session: Session, mark: number): Set<number> {
  const context = contextOf(instance, session);
  const offsets = Array.from({ length: CONTEXT_BYTES / 8 }, (_, index) => index * 8);
  return new Set(
    offsets.filter((offset) => instance.heap.view.getBigUint64(context + offset, true) === BigInt(mark)),
  );
}

function shows(instance: Instance, database: number, limit: LimitDepth): boolean {
  const session = new Session(instance, database);
  limit(session);
  const { rows } = session.query("SELECT current_setting('max_expression_depth') AS depth");
  session.close();
  return rows[0]?.depth === MAX_DEPTH;
}
