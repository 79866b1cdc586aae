import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../setup/root.js';

/** A bound for a program that hangs. A busy machine downloads and compiles for many minutes, and skips nothing. */
const INSTALL_MS = 30 * 60_000;

/** Runs an installing program. Returns the reason of a failure, or an empty text. */
export async function tried(program, args, reason, cwd = ROOT) {
  try {
    await promisify(execFile)(program, args, { cwd, timeout: INSTALL_MS, killSignal: 'SIGKILL' });
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
