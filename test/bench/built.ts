import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildTarget } from '../../deploy/build.ts';
import { TARGET_NAMES, type TargetName } from '../../deploy/target.ts';
import { type Around, createProject } from './projects.ts';

/** A bench project and its artefacts. */
export interface Built {
  readonly root: string;
  readonly folders: { readonly [target in TargetName]: string };
  remove(): Promise<void>;
}

/** Builds a project of `count` endpoints for the targets. */
export async function createBuilt(
  count: number,
  targets: readonly TargetName[] = TARGET_NAMES,
  around?: Around,
): Promise<Built> {
  const root = await createProject(count, around);
  const folders = { node: '', 'aws-lambda': '', 'cloudflare-workers': '' };
  for (const target of targets) {
    folders[target] = join(root, 'build', target);
    await buildTarget({ root, target, out: folders[target] });
  }
  return { root, folders, remove: () => rm(root, { recursive: true }) };
}
