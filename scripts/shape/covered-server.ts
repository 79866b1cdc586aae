import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import type { Ran } from './call.ts';

// A command line of the tree at the root (first argument), run from its sources. Each message from the parent process
// is answered with the functions that ran since the message before; counting begins with the first one.

const [root = '', ...argv] = process.argv.slice(2);
const base = `${pathToFileURL(root).href}/`;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('message', () => void takeCoverage().then((ran) => process.send?.(ran)));

const { main } = await import(`${base}cli/main.ts`);
process.exitCode = await main(argv);
process.disconnect?.();

async function takeCoverage(): Promise<readonly Ran[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ours = result.filter(({ url }) => isOurs(url));
  return ours.flatMap(({ url, functions }) => {
    // The function that spans the whole file is the module itself.
    const called = functions.filter(({ ranges: [range] }) => range?.count !== 0 && range?.startOffset !== 0);
    return called.map(({ functionName }) => ({ file: url.slice(base.length), name: functionName }));
  });
}

/** This file runs in the same process, but is no part of a call. */
function isOurs(url: string): boolean {
  return url.startsWith(base) && !url.includes('/node_modules/') && url !== import.meta.url;
}
