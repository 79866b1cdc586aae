import { withFile } from './file.ts';

/**
 * Runs a script of the author's own, of any number of statements, on a database file that it may create; relative paths
 * in it begin at a folder, or where the process is.
 */
export async function runScript(path: string, sql: string, folder?: string): Promise<void> {
  await withFile(path, {}, async (connection) => {
    if (folder !== undefined)
      await connection.run(`SET file_search_path = '${folder.replaceAll("'", "''")}'`);
    await connection.run(sql);
  });
}
