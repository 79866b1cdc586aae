import { join } from 'node:path';
import type { Preview, PreviewOptions } from '../../../preview/preview.ts';
import { startFunction } from './function.ts';

/** Runs `function.zip` in a process, behind stand-ins for the Lambda Runtime API and a Function URL. */
export async function previewLambda({ folder, port, env, onLine }: PreviewOptions): Promise<Preview> {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { url, ended, close } = await startFunction(join(folder, 'function.zip'), {
    gateway: 'function-url',
    // Only this machine reaches it.
    environment: { SVC_LAMBDA_RESPONSE: 'stream', ...Object.fromEntries(given), SVC_PUBLIC: 'true' },
    port,
    onLine,
  });
  return { url: new URL('mcp', url).href, ended, close };
}
