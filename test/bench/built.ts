import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildTarget } from '../../deploy/build.ts';
import { TARGET_NAMES, type TargetName } from '../../deploy/targets/targets.ts';
import { type Around, createProject } from './projects.ts';

/** A bench project and its artefacts. */
export interface Built {
  readonly root: string;
  readonly folderOf: (target: TargetName) => string;
  remove(): Promise<void>;
}

/** Builds a project of `count` endpoints for the targets. */
export async function createBuilt(
  count: number,
  targets: readonly TargetName[] = TARGET_NAMES,
  around?: Around,
): Promise<Built> {
  const root = await createProject(count, around);
  const folderOf = (target: TargetName) => join(root, 'build', target);
  for (const target of targets) await buildTarget({ root, public: true, target, out: folderOf(target) });
  return { root, folderOf, remove: () => rm(root, { recursive: true }) };
}
