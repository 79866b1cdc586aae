import { expect, it } from 'vitest';
import { createLines } from '../../../../adapters/python/printed-lines.ts';

const SECRET = 'planted-secret-value';
/** Text before a secret, so long that the end of the shown part lies within the secret. */
const BEFORE = 'x'.repeat(1_995);

function printed(write: (lines: ReturnType<typeof createLines>) => void): readonly string[] {
  const logged: string[] = [];
  const conceal = (text: string) => text.replaceAll(SECRET, '[REDACTED]');
  const lines = createLines(({ message }) => void logged.push(message), conceal);
  write(lines);
  lines.end();
  return logged;
}

it.each([
  ['in one piece', [`${BEFORE}${SECRET}\n`]],
  ['in pieces', [BEFORE, 'planted-', 'secret-value and', ' more\n']],
  ['without an end', [`${BEFORE}${SECRET}`]],
])('shows no part of a secret at the end of a long line: %s', (_, pieces) => {
  const logged = printed((lines) => {
    for (const piece of pieces) lines.write(piece);
  });
  expect(logged).toEqual([`python: ${BEFORE}[REDA`]);
});

it('shows no part of a sensitive argument at the end of a long line', () => {
  const logged = printed((lines) => {
    lines.begin('a.py', { hidden: ['planted-argument'], fields: { request_id: 'r' } });
    for (const piece of [`${BEFORE}planted-`, 'argument\n', 'short\n']) lines.write(piece);
  });
  expect(logged).toEqual([`a.py: ${BEFORE}[REDA`, 'a.py: short']);
});

it('keeps little of a line that never ends', () => {
  const logged = printed((lines) => {
    for (let piece = 0; piece < 1_000; piece += 1) lines.write('y'.repeat(10_000));
  });
  expect(logged).toEqual([`python: ${'y'.repeat(2_000)}`]);
});

it('cuts no character of a long line in two halves', () => {
  const logged = printed((lines) => lines.write(`${'y'.repeat(1_999)}😀\n`));
  expect(logged).toEqual([`python: ${'y'.repeat(1_999)}\ufffd`]);
});

const PLANTED = { hidden: ['planted one\nplanted two'], fields: {} };
const NOTHING = { hidden: [], fields: {} };

it('shows no line of a sensitive argument of several lines', () => {
  const logged = printed((lines) => {
    lines.begin('a.py', PLANTED);
    lines.write('got planted one\nplanted two\n');
  });
  expect(logged).toEqual(['a.py: got [REDACTED]', 'a.py: [REDACTED]']);
});

it('shows no part of a sensitive argument of any length', () => {
  const long = 'planted-'.repeat(50_000);
  const logged = printed((lines) => {
    lines.begin('a.py', { hidden: [long], fields: {} });
    for (let at = 0; at < long.length; at += 65_536) lines.write(long.slice(at, at + 65_536));
    lines.write('\n');
  });
  expect(logged).toEqual(['a.py: [REDACTED]']);
});

it.each([
  ['whole', 'planted-argument', ' and more\n', '[REDACTED] and more'],
  ['in pieces', 'planted-', 'argument and more\n', '[REDACTED] and more'],
])('shows no sensitive argument in a line that a later call ends: %s', (_, first, last, shown) => {
  const logged = printed((lines) => {
    lines.begin('a.py', { hidden: ['planted-argument'], fields: {} });
    lines.write(first);
    lines.begin('b.py', NOTHING);
    lines.begin('c.py', NOTHING);
    lines.write(last);
  });
  expect(logged).toEqual([`c.py: ${shown}`]);
});

it('shows no sensitive argument in a line that many calls leave open', () => {
  const logged = printed((lines) => {
    lines.begin('a.py', { hidden: ['planted-argument'], fields: {} });
    lines.write('planted-argument');
    for (let call = 0; call < 100; call += 1) {
      lines.begin('b.py', NOTHING);
      lines.write('.');
    }
    lines.write('\n');
  });
  expect(logged).toEqual([`b.py: [REDACTED]${'.'.repeat(100)}`]);
});
