import { statfs } from 'node:fs/promises';
import type { SystemFigures } from '../../../src/admin/source.ts';
import { percentOf, readProc } from './proc.ts';

/** A sector of /proc/diskstats, whatever the disk's own is. */
const SECTOR = 512;
/** Whole disks: their partitions would be counted twice, and so would what lies on other devices. */
const DISK = /^(?:[hsv]d[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+)$/;

/** The disk that a folder is on, and what all disks have read and written since boot. */
export function createDisk(folder: string): SystemFigures['disk'] {
  return async () => {
    const { bsize, blocks, bfree, bavail } = await statfs(folder);
    const used = (blocks - bfree) * bsize;
    return {
      total_bytes: blocks * bsize,
      used_bytes: used,
      free_bytes: bavail * bsize,
      percent: percentOf(used, used + bavail * bsize),
      ...(await readCounters()),
    };
  };
}

async function readCounters() {
  const text = await readProc('diskstats');
  if (text === null) return { read_bytes: null, write_bytes: null, read_count: null, write_count: null };
  const disks = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , name = '']) => DISK.test(name));
  const sum = (column: number) => disks.reduce((total, fields) => total + Number(fields[column] ?? 0), 0);
  return {
    read_bytes: sum(5) * SECTOR,
    write_bytes: sum(9) * SECTOR,
    read_count: sum(3),
    write_count: sum(7),
  };
}
