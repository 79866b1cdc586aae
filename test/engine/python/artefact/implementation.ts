import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TargetName } from '../../../../deploy/targets/targets.ts';
import type { Log } from '../../../../src/ports.ts';
import { type Implementation, PROJECT } from '../subject.ts';
import { buildContract } from './build.ts';
import { createFarPython, type Reached } from './client.ts';

/** How an artefact is built and run for the contract. */
export interface ArtefactOptions {
  readonly name: string;
  readonly target: TargetName;
  start(artefact: string, log: Log): Promise<Reached>;
}

/** The contract's project in an artefact, which is built once; from a copy of the project it is built anew. */
export function artefactOf({
  name,
  target,
  start,
}: ArtefactOptions): Implementation & { remove(): Promise<void> } {
  let built: Promise<string> | null = null;
  return {
    name,
    async open({ root, log }) {
      if (root === PROJECT) built ??= buildContract(root, target);
      const artefact = root === PROJECT && built !== null ? await built : await buildContract(root, target);
      const reached = await start(artefact, log);
      if (root === PROJECT) return createFarPython(reached);
      const close = () => reached.close().then(() => remove(artefact));
      return createFarPython({ ...reached, close });
    },
    async remove() {
      if (built !== null) await remove(await built);
    },
    threads: false,
    processes: false,
    artefact: true,
  };
}

/** With the project that it was built from. */
function remove(artefact: string): Promise<void> {
  return rm(dirname(artefact), { recursive: true, force: true });
}
