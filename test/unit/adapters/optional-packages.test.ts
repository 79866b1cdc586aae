import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  BUNDLER_PART,
  loadPart,
  missingPart,
  NATIVE_PART,
  OPTIONAL_PARTS,
  toInstallAdvice,
} from '../../../adapters/optional-packages.ts';
import { VERSION } from '../../../src/version.ts';

const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const PACKAGES = Object.assign({}, ...OPTIONAL_PARTS.map(({ packages }) => packages));

describe('the optional parts', () => {
  it('are optional peers of the versions that the tests use, and no dependencies', () => {
    expect(Object.keys(PACKAGES).length).toBeGreaterThan(5);
    for (const [name, version] of Object.entries(PACKAGES)) {
      expect({ name, peer: peerDependencies[name], tested: devDependencies[name] }).toEqual({
        name,
        peer: version,
        tested: version,
      });
      expect(Object.keys(dependencies)).not.toContain(name);
    }
    for (const name of Object.keys(peerDependencies)) {
      expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    }
  });

  it('are asked for by name, with the command that installs them where svc is', () => {
    const advice = (self: string) =>
      toInstallAdvice({ esbuild: '0.28.2' }, `file://${self}/dist/adapters/x.js`);
    expect(advice('/home/ada/shop/node_modules/svc-kit')).toBe('Run `npm install esbuild@0.28.2`');
    expect(advice('/usr/lib/node_modules/svc-kit')).toBe('Run `npm install --global esbuild@0.28.2`');
    expect(advice('/C:/Users/ada/AppData/Roaming/npm/node_modules/svc-kit')).toContain('--global');
    expect(advice('/home/ada/.npm/_npx/1f/node_modules/svc-kit')).toBe(
      `Run \`npm install svc-kit@${VERSION} esbuild@0.28.2\` in your project, then \`npx svc\` again`,
    );
    expect(advice('/home/ada/svc-kit')).toBe('Run `npm ci` in the checkout of svc');
    const { code, message } = missingPart(NATIVE_PART);
    expect(code).toBe('database_unavailable');
    expect(message).toMatch(
      /needs the packages @duckdb\/node-api, @duckdb\/node-bindings, which are not installed/,
    );
    expect(message).toMatch(/, or use a read-only database with `engine: wasm`\.$/);
  });

  it('that fail for another reason keep their error', async () => {
    const absent = loadPart(BUNDLER_PART, () =>
      Promise.reject(new Error("Cannot find package 'esbuild' here")),
    );
    await expect(absent).rejects.toThrow(/^`svc build` needs the package esbuild, which is not installed\./);
    const own = new Error("Cannot find package 'somebody-elses'");
    await expect(loadPart(BUNDLER_PART, () => Promise.reject(own))).rejects.toBe(own);
    const broken = new Error('esbuild: no such processor');
    await expect(loadPart(BUNDLER_PART, () => Promise.reject(broken))).rejects.toBe(broken);
  });
});
