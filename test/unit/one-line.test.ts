import { expect, it } from 'vitest';
import { jsonLine, oneLine } from '../../src/one-line.ts';

const HOSTILE = 'a\u001b[2Jb\u009b2J\r\nc\u202ed\u2028e\u{e0041}f\u007f';

it('one line of a text has nothing that a terminal obeys', () => {
  expect(oneLine(HOSTILE)).toBe('a [2Jb 2J c d e f ');
});

it('JSON of a log has the same meaning, and only printable characters', () => {
  const line = jsonLine({ message: HOSTILE, name: 'é東👩‍💻' });
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(line).toContain('\\u009b2J');
  expect(JSON.parse(line)).toEqual({ message: HOSTILE, name: 'é東👩‍💻' });
});
