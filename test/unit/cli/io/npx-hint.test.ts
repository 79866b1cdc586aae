import { expect, it } from 'vitest';
import { npxHint, typedSvc } from '../../../../cli/io/npx-hint.ts';

it('is given only where npx runs its own copy', () => {
  expect(npxHint('file:///home/ada/.npm/_npx/1f2e/node_modules/svc-kit/dist/cli/io/npx-hint.js')).toMatch(
    /`npm install svc-kit@\d+\.\d+\.\d+` in your project once/,
  );
  expect(npxHint('file:///home/ada/shop/node_modules/svc-kit/dist/cli/io/npx-hint.js')).toBeNull();
  expect(npxHint()).toBeNull();
});

it('is started by the words that the person typed', () => {
  expect(typedSvc({ npm_command: 'exec' })).toBe('npx svc');
  expect(typedSvc({})).toBe('svc');
});
