import type { Log } from '../../src/ports.ts';
import { isLogged } from '../../src/settings/log-level.ts';
import type { LoggingSettings, Settings } from '../../src/settings/model.ts';

/** The log of an artefact. It writes before the settings are loaded, and then at the configured level. */
export interface StartLog {
  readonly log: Log;
  /** Applies `logging` of the settings. Without settings every line is written. */
  readonly follow: (settings: Pick<Settings, 'logging'> | null) => void;
}

/** Creates a log that writes every line until `follow` is called. It ignores `logging.format`: a platform has its own. */
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
