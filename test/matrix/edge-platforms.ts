import { join } from 'node:path';
import type { Preview, PreviewOptions } from '../../deploy/preview/process.ts';
import { startFunction } from '../../deploy/targets/aws-lambda/preview/function.ts';
import { startDeno } from '../../deploy/targets/deno/target.ts';
import type { TargetName } from '../../deploy/targets/targets.ts';
import { startVercel } from '../../deploy/targets/vercel/target.ts';
import { ensureDeno } from './deno.ts';
import { type RunningWorker, startWorker } from './worker.ts';

/** A built artefact on its platform. */
export type Started = RunningWorker;

/** Starts the artefact in a folder, with the platform's variables. */
export type Start = (folder: string, env: Record<string, string>) => Promise<Started>;

export const startLambda: Start = async (folder, environment) => {
  const zip = join(folder, 'function.zip');
  const { url, log, close } = await startFunction(zip, { gateway: 'function-url', environment });
  return { url, log: () => log, close };
};

/** The challenge of an answer. AWS is reported to rename its header, and so does our stand-in. */
export function challengeOf({ headers }: Response): string | null {
  return headers.get('www-authenticate') ?? headers.get('x-amzn-remapped-www-authenticate');
}

/** Starts a program of this machine with the given variables and those that every program needs. */
async function startProgram(
  start: (options: Omit<PreviewOptions, 'root'>) => Promise<Preview>,
  folder: string,
  env: Record<string, string>,
): Promise<Started> {
  const log: string[] = [];
  const own = { PATH: process.env.PATH ?? '', HOME: folder };
  const onLine = (line: string) => void log.push(line);
  const { url, close } = await start({ folder, port: 0, env: { ...own, ...env }, onLine });
  return { url: new URL('/', url), log: () => log, close };
}

export const startOnVercel: Start = (folder, env) => startProgram(startVercel, folder, env);

const startInDeno: Start = async (folder, env) => {
  const root = await ensureDeno();
  return startProgram((options) => startDeno({ ...options, root }), folder, env);
};

/** Node has a test of its own beside the tests of these platforms, and a desktop bundle has no address. */
const STARTS: { readonly [target in Exclude<TargetName, 'node' | 'mcpb'>]: Start } = {
  'aws-lambda': startLambda,
  'cloudflare-workers': startWorker,
  vercel: startOnVercel,
  deno: startInDeno,
};

/** Every platform but Node that gives an artefact an address. The compiler asks for a new one. */
export const EDGE_PLATFORMS = Object.entries(STARTS) as readonly (readonly [keyof typeof STARTS, Start])[];
