import { expect, it } from 'vitest';
import { createHider } from '../../../../src/quality/evals/hide.ts';

it('a secret that begins with another leaves no rest, in texts and in keys', () => {
  const hider = createHider(['planted', 'planted-and-more', 'short']);
  expect(hider.text('planted-and-more, planted, short')).toBe('[REDACTED], [REDACTED], short');
  expect(hider.value({ 'planted-and-more': ['a planted-and-more b'] })).toEqual({
    '[REDACTED]': ['a [REDACTED] b'],
  });
});

it('a secret is hidden as an address has it, and a key line by line', () => {
  const hider = createHider(['planted/and+more', '-----BEGIN KEY-----\nMIIEvQIBADAN\n']);
  expect(hider.text('https://x.org/?k=planted%2Fand%2Bmore MIIEvQIBADAN')).toBe(
    'https://x.org/?k=[REDACTED] [REDACTED]',
  );
});

it('no part of a secret is shown where the text of a result is cut', () => {
  const secret = 'planted+'.repeat(200);
  const { result } = createHider([secret]).call({
    turn: 1,
    endpoint: 'read_notes',
    offer: null,
    args: null,
    checked: null,
    text: '',
    error: null,
    value: `${'x'.repeat(1_000)}${secret}`,
    timeMs: 1,
  });
  expect(result).toMatch(/^x{1000}\[REDACTED\]$/);
});
