import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Transcript } from '../../src/quality/evals/report.ts';

/** One file for each test, the last run's; where nobody named the folder, git leaves it alone. */
export async function keepTranscript(
  folder: string,
  transcript: Transcript,
  usual: boolean,
): Promise<string> {
  const path = join(folder, transcript.suite, `${transcript.test}.json`);
  await writeText(path, `${JSON.stringify(transcript, null, 2)}\n`);
  if (usual) await writeText(join(folder, '.gitignore'), '*\n');
  return relative(process.cwd(), path);
}

/** Writes a file and the folders to it. */
export async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
