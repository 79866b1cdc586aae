import { TARGET_NAMES, TARGETS, type TargetName } from '../deploy/targets/targets.ts';

/** Where a platform's artefact has its parts. */
export interface ArtefactLayout {
  readonly name: TargetName;
  readonly runtime: 'node' | 'workerd';
  /** The bundle with the program, and the module below `adapters` that it is made from. */
  readonly code: string;
  readonly entry: string;
  readonly database: string;
}

/** The layout of every platform's artefact. */
export const LAYOUTS: readonly ArtefactLayout[] = await Promise.all(TARGET_NAMES.map(layoutOf));

async function layoutOf(name: TargetName): Promise<ArtefactLayout> {
  const { target } = await TARGETS[name].load();
  const [bundle] = Object.entries(target.bundles);
  if (bundle === undefined) throw new Error(`the target ${name} has no bundle`);
  const [code, entry] = bundle;
  return { name, runtime: target.runtime, code, entry, database: target.database };
}
