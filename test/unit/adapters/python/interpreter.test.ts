import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findInterpreter } from '../../../../adapters/python/interpreter.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { PYTHON } from './found.ts';

it.runIf(PYTHON !== null)(
  'the search runs no code that a virtual environment runs at its start',
  async () => {
    const root = temporaryFolder();
    const venv = join(root, '.venv');
    await promisify(execFile)(PYTHON ?? '', ['-I', '-m', 'venv', '--without-pip', venv]);
    const told = join(root, 'told');
    const line = `import os; open(${JSON.stringify(told)}, "w").write(os.environ["PLANTED"])\n`;
    await writeFile(join(packagesOf(venv), 'planted.pth'), line);
    const { executable, version } = await findInterpreter({
      root,
      env: { ...process.env, PLANTED: 'secret' },
    });
    expect(executable.startsWith(venv)).toBe(true);
    expect(version).toMatch(/^3\.\d+\.\d+$/);
    expect(existsSync(told)).toBe(false);
  },
);

/** The folder of the packages of a virtual environment. */
function packagesOf(venv: string): string {
  const folder = readdirSync(venv, { recursive: true }).find((path) =>
    String(path).endsWith('site-packages'),
  );
  return join(venv, String(folder));
}
