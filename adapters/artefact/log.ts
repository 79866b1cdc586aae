import type { Log } from '../../src/ports.ts';
import { isLogged } from '../../src/settings/log-level.ts';
import type { LoggingSettings, Settings } from '../../src/settings/model.ts';

/** The log of an artefact, which knows how much is wanted only once its settings are there. */
export interface StartLog {
  readonly log: Log;
  /** From here on only what `logging` asks for; everything where there are no settings. */
  readonly follow: (settings: Pick<Settings, 'logging'> | null) => void;
}

/** Writes everything until it is told otherwise; its form stays the platform's, whatever `logging.format` says. */
export function createStartLog(write: Log): StartLog {
  let logging: LoggingSettings | null = null;
  return {
    log: (line) => {
      if (logging === null || isLogged(line, logging)) write(line);
    },
    follow: (settings) => {
      logging = settings?.logging ?? null;
    },
  };
}
