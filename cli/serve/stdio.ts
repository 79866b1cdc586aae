import { VERSION } from '../../src/version.ts';
import { count } from '../findings.ts';
import type { Output } from '../output.ts';
import type { Started } from './start.ts';

/** Standard output belongs to the protocol: nothing else is written there, not even with --json. */
export async function serveOverStdio(
  { runtime, serving }: Started,
  stopped: Promise<void>,
  output: Output,
): Promise<void> {
  const { serveStdio } = await import('../../adapters/stdio/serve.ts');
  output.note(`serving ${serving.project} on stdio; ${count(serving.tools, 'tool')}`);
  const connection = serveStdio({ runtime, version: VERSION });
  await Promise.race([stopped, connection.ended]);
  await connection.close();
}
