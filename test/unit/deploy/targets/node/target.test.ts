import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { target } from '../../../../../deploy/targets/node/target.ts';

const {
  Dockerfile = '',
  'package.json': json = '',
  'sales.service': unit = '',
} = target.files({
  project: 'Sales',
  callers: 'no sign-in, this machine only',
  version: '1.0.0',
});

test('the container runs as a user without rights and tells whether it is healthy', () => {
  const lines = Dockerfile.split('\n');
  expect(lines.indexOf('USER 1000:1000')).toBeGreaterThan(0);
  expect(lines.indexOf('USER 1000:1000')).toBeLessThan(lines.findIndex((line) => line.startsWith('CMD')));
  expect(Dockerfile).toContain('HEALTHCHECK');
});

test('the user of the container owns its files, because a private database is readable by its owner only', () => {
  const native = { arch: 'arm64', folders: ['native', 'database'] } as const;
  const facts = { project: 'Sales', callers: 'x', version: '1.0.0', native };
  const copies = String(target.files(facts).Dockerfile).match(/^COPY .*/gm) ?? [];
  expect(copies).toHaveLength(3);
  for (const copy of copies) expect(copy).toMatch(/^COPY --chown=1000:1000 /);
});

test('the unit of systemd says how its user gets to private files', () => {
  expect(unit).toContain('#   chmod -R a+rX /opt/sales\n');
});

test('the probe in the container is a program that Node understands', () => {
  const probe = /CMD (\[.+\])\nCMD/.exec(Dockerfile)?.[1] ?? '';
  const [command, flag, program]: string[] = JSON.parse(probe);
  expect([command, flag]).toEqual(['node', '-e']);
  expect(() => new Function(program ?? '')).not.toThrow();
});

test('the folder is a package of modules that npm can start', () => {
  expect(JSON.parse(json)).toMatchObject({
    name: 'sales',
    private: true,
    type: 'module',
    scripts: { start: 'node index.js' },
  });
});

test('the unit of systemd runs the artefact as a user of its own, under the name of the project', () => {
  expect(unit).toContain('ExecStart=/usr/bin/env node /opt/sales/index.js\n');
  expect(unit).toContain('DynamicUser=yes\n');
  expect(unit).toContain('WorkingDirectory=/var/lib/sales\n');
});

test('systemd tries again every five seconds, for as long as the server cannot start', () => {
  const partOf = (name: string) => unit.split(/^\[/m).find((part) => part.startsWith(name));
  expect(partOf('Unit')).toContain('\nStartLimitIntervalSec=0\n');
  expect(partOf('Service')).toContain('\nRestart=on-failure\nRestartSec=5\n');
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd)('systemd finds nothing wrong with its unit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'));
  writeFileSync(join(folder, 'sales.service'), unit);
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, 'sales.service')], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect({ status, about: stderr.split('\n').filter((line) => line.includes('sales.service')) }).toEqual({
    status: 0,
    about: [],
  });
});
