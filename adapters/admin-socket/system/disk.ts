import { statfs } from 'node:fs/promises';
import type { SystemFigures } from '../../../src/admin/source.ts';
import { percentOf, readProc } from './proc.ts';

/** Bytes of a sector in /proc/diskstats, independent of the disk's own sector size. */
const SECTOR = 512;
/**
 * Names of whole disks. Partitions and stacked devices (LVM, RAID) are left out: they would be counted twice.
 */
const DISK = /^(?:[hsv]d[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+)$/;

/** Measures the disk of a folder, and the bytes that all disks have read and written since boot. */
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
