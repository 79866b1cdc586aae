import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTarget } from '../../deploy/build.ts';
import type { BuildOptions, BuildResult } from '../../deploy/build-options.ts';
import { thisArchitecture } from '../../deploy/native/architecture.ts';
import type { EngineName, TargetName } from '../../deploy/targets/targets.ts';
import { createProject } from './fixture.ts';

/** Builds of the matrix project, each target once. */
export interface Artefacts {
  readonly root: string;
  get(target: TargetName, engine?: EngineName, store?: string): Promise<BuildResult>;
  remove(): Promise<void>;
}

/** A fresh copy of the matrix project and a folder for what is built from it. */
export async function createArtefacts(): Promise<Artefacts> {
  const root = await createProject();
  const out = await mkdtemp(join(tmpdir(), 'svc-built-'));
  const built = new Map<string, Promise<BuildResult>>();
  return {
    root,
    get: (target, engine = 'wasm', store = 'file') => {
      const name = `${target}-${engine}-${store}`;
      const chosen = store === 'file' ? {} : { store };
      const options = {
        root,
        public: true,
        target,
        ...toEngineOptions(engine),
        ...chosen,
        out: join(out, name),
      };
      const known = built.get(name) ?? buildTarget(options);
      built.set(name, known);
      return known;
    },
    remove: async () => {
      for (const folder of [root, out]) await rm(folder, { recursive: true });
    },
  };
}

/** A native artefact that runs on this machine, or one with the wasm engine. */
export function toEngineOptions(engine: EngineName | undefined): Pick<BuildOptions, 'engine' | 'arch'> {
  return engine === 'native' ? { engine, arch: thisArchitecture() } : {};
}
