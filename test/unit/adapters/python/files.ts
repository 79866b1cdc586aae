import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openPython } from '../../../../adapters/python/open.ts';
import {
  type Implementation,
  type Opened,
  type OpenOptions,
  openSubject,
} from '../../../engine/python/subject.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const CHILD: Implementation = {
  name: 'child',
  open: (options) => openPython({ ...options, env: process.env }),
  threads: true,
  processes: true,
  artefact: false,
};

/** Python in one process over these files, by path; it is closed after the test. */
export async function openFiles(
  files: Readonly<Record<string, string>>,
  options: Partial<OpenOptions> = {},
): Promise<Opened & { readonly root: string }> {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const opened = await openSubject(CHILD, { root, size: 1, ...options });
  onTestFinished(() => opened.python.close());
  return { ...opened, root };
}
