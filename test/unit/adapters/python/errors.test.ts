import { expect, it } from 'vitest';
import { toPythonError } from '../../../../adapters/python/errors.ts';

const SECRET = 'planted-secret';
const ARGUMENT = 'planted argument '.repeat(300);

function errorFrom(message: string, kind = 'raised') {
  const error = { kind, type: 'ValueError', message, traceback: `Traceback\nValueError: ${message}` };
  return toPythonError(
    { error },
    {
      failures: new Map(),
      conceal: (text) => text.replaceAll(SECRET, '[REDACTED]'),
      hidden: [ARGUMENT],
    },
  );
}

it.each([
  ['a secret', `${'x'.repeat(3_990)}${SECRET}`],
  ['a sensitive argument', `cannot parse ${ARGUMENT}`],
  ['a sensitive argument after other text', `${'x'.repeat(3_900)}${ARGUMENT}`],
])('has no part of %s where its text is cut', (_, text) => {
  for (const kind of ['raised', 'refused']) {
    const { message, cause } = errorFrom(text, kind);
    expect(message).not.toContain('planted');
    expect(message).toContain('[REDA');
    expect(message.length).toBeLessThan(4_100);
    if (kind === 'raised') expect((cause as Error).message.slice(0, 4_000)).not.toContain(SECRET);
  }
});

it('has no part of a sensitive argument where the middle of its traceback is cut', () => {
  for (const before of [7_900, 8_100, 10_000]) {
    const { cause } = errorFrom(`${'x'.repeat(before)}${ARGUMENT}${'y'.repeat(9_000)}`);
    const { message } = cause as Error;
    expect(message).not.toContain('planted');
    expect(message.length).toBeLessThan(16_100);
    expect(message).toMatch(/^Traceback.*\n\.\.\.\n.*y$/s);
  }
});

it('tells a client its own argument in a text that is not cut', () => {
  expect(errorFrom('No planted argument.', 'refused').message).toBe('No planted argument.');
});
