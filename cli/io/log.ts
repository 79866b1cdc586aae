import { createNodeLog } from '../../adapters/node/log.ts';
import type { Log, LogLine } from '../../src/ports.ts';
import type { LoggingSettings } from '../../src/settings/model.ts';
import { type Output, styled } from './output.ts';

/** The log of a short command: warnings and errors on stderr; everything with --debug. */
export function createLog(output: Output): Log {
  return (line) => {
    if (!output.debug && (line.level === 'debug' || line.level === 'info')) return;
    output.note(toHuman(line));
  };
}

/** The log of a server, in the form that its settings choose. Never writes to stdout. */
export function createServerLog(output: Output, settings: LoggingSettings): Log {
  return createNodeLog(settings, {
    write: (line) => output.note(line),
    human: toHuman,
    isTerminal: process.stderr.isTTY === true,
    waitingBytes: () => process.stderr.writableLength,
  });
}

function toHuman({ level, message, fields, isCall }: LogLine): string {
  if (isCall) return `${styled('dim', toTime(new Date()), process.stderr)} ${message}`;
  const style = level === 'error' ? 'error' : level === 'warn' ? 'warning' : 'dim';
  const rest = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
  return `${styled(style, `${level}:`, process.stderr)} ${message}${rest}`;
}

/** The local time of day. */
function toTime(date: Date): string {
  return date.toTimeString().slice(0, 8);
}
