import { expect, it } from 'vitest';
import { policyScopeOf } from '../../../src/policy/scope.ts';

it('has the `return` of an endpoint, except for a prompt, whose result has a form of its own', () => {
  const endpoint = { parameters: [{ name: 'n', type: 'integer' }], returns: { type: 'integer' } } as const;
  for (const kind of ['tool', 'resource'] as const) {
    expect(policyScopeOf({ ...endpoint, kind })).toEqual({ ...endpoint, kind });
  }
  expect(policyScopeOf({ ...endpoint, kind: 'prompt' })).toEqual({
    ...endpoint,
    kind: 'prompt',
    returns: null,
  });
});
