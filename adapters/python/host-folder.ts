import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../src/errors.ts';

/** The places of the host's Python files: beside the compiled code or its source, or beside a bundle. */
const PLACES = ['./host/', './python-host/'];

/**
 * Returns the folder with `child.py`, `check.py` and the package `svc`; throws `python_unavailable` if it is
 * missing.
 */
export function hostFolder(): string {
  const folders = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = folders.find((folder) => existsSync(`${folder}child.py`));
  if (found !== undefined) return found;
  throw new SvcError(
    'python_unavailable',
    `The Python files of svc are in none of ${folders.join(', ')}. Install svc again.`,
  );
}
