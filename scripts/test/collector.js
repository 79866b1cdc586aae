import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/collector');
/** The program; `go.sum` has the hash of each module that is in it. */
const SOURCE = fileURLToPath(new URL('collector', import.meta.url));
const FILES = ['main.go', 'go.mod', 'go.sum'];

/**
 * The folder of a program with the OTLP receiver of OpenTelemetry's collector, compiled on first use. Without Go or a
 * module proxy it is null, with the reason.
 */
export async function ensureCollector() {
  const go = await tried('go', ['version'], 'there is no Go');
  if (go !== '') return { bin: null, reason: go };
  const sources = FILES.map((file) => readFileSync(join(SOURCE, file), 'utf8'));
  const reason = await installOnce(FOLDER, sources, () => {
    mkdirSync(FOLDER, { recursive: true });
    const build = ['build', '-mod=readonly', '-trimpath', '-o', join(FOLDER, 'collector'), '.'];
    return tried('go', build, 'Go could not compile the collector', SOURCE);
  });
  return { bin: reason === '' ? FOLDER : null, reason };
}
