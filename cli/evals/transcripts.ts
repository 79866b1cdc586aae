import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Transcript } from '../../src/quality/evals/report.ts';

/** Writes the transcript of a test over the one of the run before. In the default folder, git ignores it. */
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

/** Writes a file and creates its folders. */
export async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
