import { type Changes, createChanges } from '../changes.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** The sessions and changes of a long-lived server; they outlive a reload. */
export interface Live {
  readonly sessions: Sessions;
  readonly changes: Changes;
  /** Ends the streams of listening clients. */
  close(): void;
}

/** Makes sessions that are notified of every change. */
export function openLive(changes: Changes = createChanges()): Live {
  const sessions = createSessions();
  const unlisten = changes.listen((change) => sessions.tell(change));
  return {
    sessions,
    changes,
    close() {
      unlisten();
      sessions.close();
      changes.close();
    },
  };
}
