import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../setup/root.js';

const INSTALL_MS = 120_000;

/** Runs an installing program. Returns the reason of a failure, or an empty text. */
export async function tried(program, args, reason, cwd = ROOT, timeout = INSTALL_MS) {
  try {
    await promisify(execFile)(program, args, { cwd, timeout, killSignal: 'SIGKILL' });
    return '';
  } catch (error) {
    const said = String(error.stderr ?? '')
      .trim()
      .split('\n')
      .slice(-2)
      .join(' ');
    return `${reason}: ${said || (error.killed ? 'it took too long' : error.message)}`;
  }
}
