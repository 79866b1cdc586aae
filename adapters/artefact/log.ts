import type { Log } from '../../src/ports.ts';
import { toBoolean } from '../../src/settings/boolean.ts';
import { DEFAULTS } from '../../src/settings/effective/defaults.ts';
import type { Environment } from '../../src/settings/environment.ts';
import { type LoggedLevels, loggedLevels } from '../../src/settings/log-level.ts';
import type { Settings } from '../../src/settings/model.ts';
import { concealedLog, createConcealment } from '../../src/settings/references/concealment.ts';
import { secretsOf } from '../../src/settings/secrets.ts';

/** The log of an artefact. It writes before the settings are loaded, and then at the configured level, without their secrets. */
export interface StartLog {
  readonly log: Log;
  /**
   * Applies `logging` of the settings, and conceals their secrets. Without settings the level is `INFO`, or `DEBUG` if
   * SVC_DEBUG is set.
   */
  readonly follow: (settings: Settings | null, env: Environment) => void;
  readonly levels: LoggedLevels;
  /** Removes the secrets of the settings from a text. */
  readonly conceal: (text: string) => string;
}

/** Creates a log that writes every line until `follow` is called. It ignores `logging.format`: a platform has its own. */
export function createStartLog(write: Log): StartLog {
  let levels = loggedLevels({ enabled: true, level: 'DEBUG' });
  const concealment = createConcealment();
  const concealed = concealedLog(write, concealment);
  return {
    log: (line) => {
      if (levels.has(line.level)) concealed(line);
    },
    levels: { has: (level) => levels.has(level) },
    follow: (settings, env) => {
      const level = toBoolean(env.SVC_DEBUG?.trim() ?? '') === true ? 'DEBUG' : DEFAULTS['logging.level'];
      levels = loggedLevels(settings?.logging ?? { enabled: true, level });
      if (settings !== null) concealment.add(secretsOf(settings));
    },
    conceal: concealment.conceal,
  };
}
