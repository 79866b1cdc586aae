import { loadDriver } from './driver.ts';
import { toOpenError, toQueryError } from './failure.ts';

/** Runs a script of the author's own, of any number of statements, on a database file that it may create. */
export async function runScript(path: string, sql: string): Promise<void> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(path, SCRIPT_OPTIONS).catch((thrown: unknown) => {
    throw toOpenError(path, false, thrown);
  });
  try {
    const connection = await instance.connect();
    try {
      await connection.run(`SET TimeZone = 'UTC';\n${sql}\n;CHECKPOINT`);
    } finally {
      connection.closeSync();
    }
  } catch (thrown) {
    throw toQueryError(thrown);
  } finally {
    instance.closeSync();
  }
}

/** The author's script may read files, which is how a database is filled; it downloads no code. */
const SCRIPT_OPTIONS = {
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
};
