import { expect, it } from 'vitest';
import { createSealer } from '../../../src/mcp/seal.ts';

const key = () => new Uint8Array(32).fill(7);

it('opens what it sealed, and never twice the same text', async () => {
  const sealer = createSealer();
  const value = { put: ['a'], replies: { a: { text: 'ü€😀' } } };
  const [one, other] = [await sealer.seal(value, 'p'), await sealer.seal(value, 'p')];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^[\w-]+$/);
  expect(await sealer.open(one, 'p')).toEqual(value);
});

it('opens nothing of another purpose or key, and everything of the same key elsewhere', async () => {
  const text = await createSealer(key()).seal('secret', 'p');
  expect(text).not.toContain('secret');
  expect(await createSealer(key()).open(text, 'p')).toBe('secret');
  expect(await createSealer(key()).open(text, 'q')).toBeNull();
  expect(await createSealer().open(text, 'p')).toBeNull();
});

it('opens no text in which a single character was changed, cut off or added', async () => {
  const sealer = createSealer();
  const text = await sealer.seal({ n: 1 }, 'p');
  for (const index of text.split('').keys()) {
    const other = text[index] === 'A' ? 'Q' : 'A';
    const changed = `${text.slice(0, index)}${other}${text.slice(index + 1)}`;
    expect(await sealer.open(changed, 'p')).toBeNull();
    if (index > 0) expect(await sealer.open(text.slice(0, index), 'p')).toBeNull();
  }
  for (const noise of ['', '=', '%', 'A', 'ü', `${text}AAAA`])
    expect(await sealer.open(noise, 'p')).toBeNull();
});
