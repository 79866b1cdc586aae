import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFrames } from '../../../../cli/io/findings.ts';
import type { Finding } from '../../../../src/project/finding.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const finding = (file: string, line: number, code = 'x'): Finding => ({
  severity: 'error',
  code,
  file,
  line,
  column: 1,
  message: '',
  fix: '',
});

function folder(): string {
  const root = temporaryFolder();
  writeFileSync(join(root, 'a.yml'), 'one\ntwo\nthree\nfour\nfive\nsix');
  writeFileSync(join(root, 'svc-site.yml'), 'uri: postgres:password=planted\nnext: 1\n');
  return root;
}

it('shows two lines before and after a finding', () => {
  const found = [finding('a.yml', 1), finding('a.yml', 4), finding('a.yml', 0), finding('gone.yml', 1)];
  const frameOf = createFrames(folder(), found);
  expect(found.map((one) => frameOf(one).map(({ line, text }) => `${line} ${text}`))).toEqual([
    ['1 one', '2 two', '3 three'],
    ['2 two', '3 three', '4 four', '5 five', '6 six'],
    [],
    [],
  ]);
});

it('shows no line of a file with a literal secret, for no finding', () => {
  const found = [
    finding('svc-site.yml', 1, 'literal-secret'),
    finding('svc-site.yml', 2),
    finding('a.yml', 1),
  ];
  const frameOf = createFrames(folder(), found);
  expect(found.map((one) => frameOf(one).length)).toEqual([0, 0, 3]);
});

it('shows the lines of a file in UTF-16', () => {
  const root = folder();
  writeFileSync(join(root, 'wide.yml'), Buffer.from('\ufeffone\ntwo', 'utf16le'));
  const found = [finding('wide.yml', 2)];
  expect(createFrames(root, found)(finding('wide.yml', 2)).map(({ text }) => text)).toEqual(['one', 'two']);
});
