import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { thisArchitecture } from '../../../../deploy/native/architecture.ts';
import {
  checkIntegrity,
  DRIVER_INTEGRITY,
  DRIVER_VERSION,
  driverPackageName,
  loadDriverPackage,
} from '../../../../deploy/native/driver-package.ts';
import { readTar } from '../../../../deploy/native/tar.ts';

const LOCK: {
  readonly packages: {
    readonly [path: string]: { readonly version: string; readonly integrity: string } | undefined;
  };
} = JSON.parse(readFileSync('package-lock.json', 'utf8'));

describe('the driver of a native artefact', () => {
  it.each(['x86_64', 'arm64'] as const)('is the one of the lock file for %s', (arch) => {
    const locked = LOCK.packages[`node_modules/${driverPackageName(arch)}`];
    expect(locked).toMatchObject({ version: DRIVER_VERSION, integrity: DRIVER_INTEGRITY[arch] });
  });

  it('is the installed package on a machine of the same kind', async () => {
    const arch = thisArchitecture();
    const { name, files, license } = await loadDriverPackage(arch);
    const folder = `node_modules/${name}`;
    expect(readFileSync(`${folder}/duckdb.node`).equals(files['duckdb.node'])).toBe(true);
    expect(readFileSync(`${folder}/libduckdb.so`).equals(files['libduckdb.so'])).toBe(true);
    expect(license).toContain('Permission is hereby granted');
  });

  it('is refused with another digest', () => {
    const archive = gzipSync('another package');
    expect(() => checkIntegrity('@duckdb/x', archive, DRIVER_INTEGRITY.arm64)).toThrow(/not the pinned one/);
  });
});

describe('a tar archive', () => {
  const header = (name: string, size: number, kind: string, prefix = '') => {
    const block = Buffer.alloc(512);
    block.write(name, 0);
    block.write(size.toString(8).padStart(11, '0'), 124);
    block.write(kind, 156);
    block.write(prefix, 345);
    return block;
  };
  const padded = (text: string) => Buffer.concat([Buffer.from(text), Buffer.alloc(512 - text.length)]);

  it('is read by the paths of its files', () => {
    const archive = Buffer.concat([
      header('package/', 0, '5'),
      header('package/a.txt', 5, '0'),
      padded('hello'),
      header('b.txt', 2, '0', 'package/deep'),
      padded('by'),
      Buffer.alloc(1024),
    ]);
    const files = readTar(archive);
    expect([...files].map(([path, bytes]) => [path, bytes.toString()])).toEqual([
      ['package/a.txt', 'hello'],
      ['package/deep/b.txt', 'by'],
    ]);
  });
});
