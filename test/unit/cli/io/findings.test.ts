import { expect, it } from 'vitest';
import { toFindingLines } from '../../../../cli/io/findings.ts';

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
