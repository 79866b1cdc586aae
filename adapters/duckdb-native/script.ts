import { withFile } from './file.ts';

/** Runs a script of the author's own, of any number of statements, on a database file that it may create. */
export async function runScript(path: string, sql: string): Promise<void> {
  await withFile(path, {}, (connection) => connection.run(sql));
}
