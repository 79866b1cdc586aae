import { expect, it, onTestFinished, vi } from 'vitest';
import { toErrorText, toFindingLines, toFindingsError } from '../../../../cli/io/findings.ts';

it('aligns each line of a message and of a fix below the first', () => {
  const finding = {
    severity: 'error',
    code: 'database-unreadable',
    file: 'svc-site.yml',
    line: 0,
    column: 0,
    message: 'It is newer.\nMuch newer.',
    fix: 'Convert it:\nATTACH a;\nCOPY a;',
  } as const;
  expect(toFindingLines([finding])).toBe(
    [
      'svc-site.yml  error  It is newer.',
      '                     Much newer.',
      '                     fix: Convert it:',
      '                     ATTACH a;',
      '                     COPY a;',
    ].join('\n'),
  );
});

it('the error for findings has colours on a terminal only, not in its message', () => {
  const terminal = Object.create(process.stderr, { isTTY: { value: true } }) as typeof process.stderr;
  const stderr = vi.spyOn(process, 'stderr', 'get').mockReturnValue(terminal);
  vi.stubEnv('FORCE_COLOR', '1');
  onTestFinished(() => {
    stderr.mockRestore();
    vi.unstubAllEnvs();
  });
  const finding = {
    severity: 'error',
    code: 'x',
    file: 'a.yml',
    line: 1,
    column: 2,
    message: 'Wrong.',
    fix: 'Mend.',
  } as const;
  const error = toFindingsError([finding]);
  expect(error.message).toBe(
    'The project has 1 error:\na.yml:1:2  error  Wrong.\n                  fix: Mend.',
  );
  expect(toErrorText(error, terminal)).toContain('\u001b[');
});
