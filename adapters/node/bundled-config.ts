import { existsSync, readFileSync } from 'node:fs';

/** The user file of an artefact; null when `svc build` was not asked for one. */
export function readBundled(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
