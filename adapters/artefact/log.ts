import type { Log } from '../../src/ports.ts';
import { isLogged } from '../../src/settings/log-level.ts';
import type { LoggingSettings, Settings } from '../../src/settings/model.ts';
import { concealedLog, createConcealment } from '../../src/settings/references/concealment.ts';
import { secretsOf } from '../../src/settings/secrets.ts';

/** The log of an artefact. It writes before the settings are loaded, and then at the configured level, without their secrets. */
export interface StartLog {
  readonly log: Log;
  /** Applies `logging` of the settings, and conceals their secrets. Without settings every line is written. */
  readonly follow: (settings: Settings | null) => void;
  /** Removes the secrets of the settings from a text. */
  readonly conceal: (text: string) => string;
}

/** Creates a log that writes every line until `follow` is called. It ignores `logging.format`: a platform has its own. */
export function createStartLog(write: Log): StartLog {
  let logging: LoggingSettings | null = null;
  const concealment = createConcealment();
  const concealed = concealedLog(write, concealment);
  return {
    log: (line) => {
      if (logging === null || isLogged(line, logging)) concealed(line);
    },
    follow: (settings) => {
      logging = settings?.logging ?? null;
      if (settings !== null) concealment.add(secretsOf(settings));
    },
    conceal: concealment.conceal,
  };
}
