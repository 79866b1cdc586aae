import { expect, it } from 'vitest';
import { createTextRedactor } from '../../../src/redaction/redact.ts';

/** A redactor of a call with one sensitive argument. */
const redactorOf = (value: string) =>
  createTextRedactor({
    args: { note: value },
    parameters: [{ name: 'note', type: 'string', sensitive: true }],
    credentials: [],
  });

it('a sensitive text that is longer than what the log shows is removed whole', () => {
  const note = 'a note that is private. '.repeat(5_000);
  const shown = redactorOf(note)(`Conversion Error: Could not convert string '${note}' to INT32`);
  expect(shown).toBe("Conversion Error: Could not convert string '[REDACTED]' to INT32");
});

it('a sensitive text is removed where the text is cut', () => {
  const note = 'a note that is private. ';
  const shown = redactorOf(note)(`x${note.repeat(5_000)}`);
  expect(shown).not.toContain('a note');
  expect(shown).toMatch(/\[CUT: \d+ more characters\]$/);
});
