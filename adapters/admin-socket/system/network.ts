import type { SystemFigures } from '../../../src/admin/source.ts';
import { readProc } from './proc.ts';

/** The columns of /proc/net/dev, by the names of the figures. */
const COLUMNS = {
  bytes_recv: 0,
  packets_recv: 1,
  errin: 2,
  dropin: 3,
  bytes_sent: 8,
  packets_sent: 9,
  errout: 10,
  dropout: 11,
} as const;

/** Sums the traffic of all interfaces since boot. */
export const readNetwork: SystemFigures['network'] = async () => {
  const lines = (await readProc('net/dev'))?.trim().split('\n').slice(2) ?? null;
  const rows =
    lines?.map((line) =>
      line
        .slice(line.indexOf(':') + 1)
        .trim()
        .split(/\s+/),
    ) ?? null;
  const sum = (column: number) =>
    rows === null ? null : rows.reduce((total, fields) => total + Number(fields[column] ?? 0), 0);
  return {
    bytes_sent: sum(COLUMNS.bytes_sent),
    bytes_recv: sum(COLUMNS.bytes_recv),
    packets_sent: sum(COLUMNS.packets_sent),
    packets_recv: sum(COLUMNS.packets_recv),
    errin: sum(COLUMNS.errin),
    errout: sum(COLUMNS.errout),
    dropin: sum(COLUMNS.dropin),
    dropout: sum(COLUMNS.dropout),
  };
};
