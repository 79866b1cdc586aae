import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildResult, buildTarget } from '../../deploy/build.ts';
import type { TargetName } from '../../deploy/targets/targets.ts';
import { createProject } from './fixture.ts';

/** Builds of the matrix project, each target once. */
export interface Artefacts {
  readonly root: string;
  get(target: TargetName): Promise<BuildResult>;
  remove(): Promise<void>;
}

/** A fresh copy of the matrix project and a folder for what is built from it. */
export async function createArtefacts(): Promise<Artefacts> {
  const root = await createProject();
  const out = await mkdtemp(join(tmpdir(), 'svc-built-'));
  const built = new Map<TargetName, Promise<BuildResult>>();
  return {
    root,
    get: (target) => {
      const known = built.get(target) ?? buildTarget({ root, target, out: join(out, target) });
      built.set(target, known);
      return known;
    },
    remove: async () => {
      for (const folder of [root, out]) await rm(folder, { recursive: true });
    },
  };
}
