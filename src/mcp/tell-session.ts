import { type Change, toNotifications } from './changes.ts';
import type { Session } from './session.ts';

/** Sends what has changed to a session that listens. */
export function tellSession({ stream, subscriptions }: Session, change: Change): void {
  if (stream === null) return;
  for (const notification of toNotifications(change, subscriptions)) {
    stream.write({ jsonrpc: '2.0', ...notification });
  }
}
