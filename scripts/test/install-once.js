import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs packages into a folder of their own, and uses it again while the list is the same. Returns the reason of a
 * failure, or an empty text.
 */
export async function installOnce(folder, packages, install) {
  const stamp = join(folder, '.installed');
  const wanted = packages.join('\n');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return '';
  rmSync(folder, { recursive: true, force: true });
  const reason = await install();
  if (reason === '') writeFileSync(stamp, wanted);
  return reason;
}
