import type { Log } from '../src/ports.ts';
import { type Output, styled } from './output.ts';

/** The application log on stderr: warnings and errors, everything with --debug. */
export function createLog(output: Output): Log {
  return ({ level, message, fields }) => {
    if (!output.debug && (level === 'debug' || level === 'info')) return;
    const style = level === 'error' ? 'error' : level === 'warn' ? 'warning' : 'dim';
    const rest = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
    output.note(`${styled(style, `${level}:`, process.stderr)} ${message}${rest}`);
  };
}
