import { expect, test } from 'vitest';
import { nodeTarget } from '../../../../deploy/targets/node.ts';

const { Dockerfile = '', 'package.json': json = '' } = nodeTarget.files({
  project: 'Sales',
  version: '1.0.0',
});

test('the container runs as a user without rights and tells whether it is healthy', () => {
  const lines = Dockerfile.split('\n');
  expect(lines.indexOf('USER node')).toBeGreaterThan(0);
  expect(lines.indexOf('USER node')).toBeLessThan(lines.findIndex((line) => line.startsWith('CMD')));
  expect(Dockerfile).toContain('HEALTHCHECK');
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
