import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The files of an artefact on a platform with a file system. */
export interface ArtefactFiles {
  readonly manifestText: string;
  /** The text of the user file; null if `svc build` got none. */
  readonly bundled: string | null;
  /** Returns the path of a file beside the entry. */
  pathOf(file: string): string;
}

/** Reads the files beside an entry. `artefactFiles(import.meta.url).pathOf('data.duckdb')` is the database. */
export function artefactFiles(entry: string): ArtefactFiles {
  const pathOf = (file: string) => fileURLToPath(new URL(file, entry));
  const config = pathOf('config.yml');
  return {
    manifestText: readFileSync(pathOf('manifest.json'), 'utf8'),
    bundled: existsSync(config) ? readFileSync(config, 'utf8') : null,
    pathOf,
  };
}
