import { join } from 'node:path';
import { startFunction } from '../../deploy/targets/aws-lambda/preview/function.ts';
import type { TargetName } from '../../deploy/targets/targets.ts';
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

export const EDGE_PLATFORMS: readonly (readonly [TargetName, Start])[] = [
  ['aws-lambda', startLambda],
  ['cloudflare-workers', startWorker],
];
