import { describe, expect, it } from 'vitest';
import { npxHint, typedSvc } from '../../../../cli/io/npx-hint.ts';

it('is given only where npx runs its own copy', () => {
  expect(npxHint('file:///home/ada/.npm/_npx/1f2e/node_modules/svc-kit/dist/cli/io/npx-hint.js')).toMatch(
    /`npm install svc-kit@\d+\.\d+\.\d+` in your project once/,
  );
  expect(npxHint('file:///home/ada/shop/node_modules/svc-kit/dist/cli/io/npx-hint.js')).toBeNull();
  expect(npxHint()).toBeNull();
});

describe('the words that start svc', () => {
  const self = 'file:///home/ada/shop/node_modules/svc-kit/dist/cli/io/npx-hint.js';
  const npx = { npm_command: 'exec' };

  it('are `svc` where the person typed that', () => {
    expect(typedSvc('/home/ada/shop', { env: {}, self })).toBe('svc');
  });

  it('are `npx svc` in the folder of the installation and below it', () => {
    expect(typedSvc('/home/ada/shop', { env: npx, self })).toBe('npx svc');
    expect(typedSvc('/home/ada/shop/demo', { env: npx, self })).toBe('npx svc');
    expect(typedSvc(process.cwd(), { env: npx })).toBe('npx svc');
  });

  it('name the package elsewhere, where npx would run the package `svc` of others', () => {
    expect(typedSvc('/home/ada/shop-2', { env: npx, self })).toBe('npx svc-kit');
    const cache = 'file:///home/ada/.npm/_npx/1f2e/node_modules/svc-kit/dist/cli/io/npx-hint.js';
    expect(typedSvc('/home/ada/shop', { env: npx, self: cache })).toBe('npx svc-kit');
  });
});
