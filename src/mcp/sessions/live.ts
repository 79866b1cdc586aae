import { type Changes, createChanges } from '../changes.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** What a server that lives long keeps for its clients, whatever it serves at the moment. */
export interface Live {
  readonly sessions: Sessions;
  readonly changes: Changes;
  /** Ends the streams of those that listen. */
  close(): void;
}

/** Sessions that are told of every change. */
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
