import { styleText } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOutput, forTerminal } from '../../../../cli/io/output.ts';
import { reportError } from '../../../../cli/main.ts';
import { SvcError } from '../../../../src/errors.ts';

const ESCAPE = '\u001b';

describe('text for a terminal', () => {
  it.each([
    ['a title', `${ESCAPE}]0;owned\u0007`, '\\u001b]0;owned\\u0007'],
    ['the clipboard', `${ESCAPE}]52;c;cm0=${ESCAPE}\\`, '\\u001b]52;c;cm0=\\u001b\\'],
    ['a command of eight bits', '\u009b2J', '\\u009b2J'],
    ['a moved cursor', `1${ESCAPE}[1A\r\b2`, '1\\u001b[1A\\u000d\\u00082'],
    ['hidden text', `${ESCAPE}[8m`, '\\u001b[8m'],
    ['text of another direction', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
  ])('shows %s as what it is', (_what, text, shown) => {
    expect(forTerminal(text)).toBe(shown);
  });

  it('keeps lines, tabs, letters of all scripts and our own colours', () => {
    const text = `a\tb\nç 語 👩‍💻\n${styleText(['red', 'bold'], 'error:', { validateStream: false })} x`;
    expect(forTerminal(text)).toBe(text);
    expect(forTerminal('a\r\nb')).toBe('a\nb');
  });
});

describe('the output of a command', () => {
  afterEach(() => void vi.restoreAllMocks());

  function written(stream: NodeJS.WriteStream): readonly string[] {
    const lines: string[] = [];
    vi.spyOn(stream, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    return lines;
  }

  it.each([
    [true, 'a\\u001bc\n', '{"a":"\\u001b\\u009b"}\n'],
    [false, `a${ESCAPE}c\n`, '{"a":"\\u001b\u009b"}\n'],
  ])('on a terminal (%s) commands it in no way, and elsewhere is exact', (isTTY, text, json) => {
    const [out, err] = [written(process.stdout), written(process.stderr)];
    const before = process.stdout.isTTY;
    process.stdout.isTTY = isTTY;
    try {
      createOutput({ json: false, debug: false }).data(null, () => `a${ESCAPE}c`);
      createOutput({ json: true, debug: false }).data({ a: `${ESCAPE}\u009b` }, () => '');
      createOutput({ json: false, debug: false }).note(`b${ESCAPE}c`);
      reportError(new SvcError('usage', '\u009b'), createOutput({ json: true, debug: false }));
    } finally {
      process.stdout.isTTY = before;
    }
    const error = `{"status":"error","error":{"code":"usage","message":"${isTTY ? '\\u009b' : '\u009b'}"}}\n`;
    expect(out).toEqual([text, json, error]);
    expect(err).toEqual(['b\\u001bc\n']);
  });
});
