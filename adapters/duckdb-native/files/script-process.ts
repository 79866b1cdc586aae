import { type PlainError, toPlainError, toSvcError } from '../../../src/errors.ts';
import { runScript } from './script.ts';

/* The entry of the process that runs a project's script. Its working directory is the project's folder. */

/** A script, and the database file that it fills. */
export interface ScriptTask {
  readonly path: string;
  readonly sql: string;
}

/** The message at the end of a script. */
export interface ScriptEnd {
  readonly error: PlainError | null;
}

async function run({ path, sql }: ScriptTask): Promise<ScriptEnd> {
  try {
    await runScript(path, sql);
    return { error: null };
  } catch (thrown) {
    return { error: toPlainError(toSvcError(thrown)) };
  }
}

// The command that started the script has ended.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.once('message', async (task: ScriptTask) => {
  process.send?.(await run(task), undefined, undefined, () => process.exit());
});
