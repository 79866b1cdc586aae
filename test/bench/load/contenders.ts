import { join } from 'node:path';
import { buildTarget } from '../../../deploy/build.ts';
import { thisArchitecture } from '../../../deploy/native/architecture.ts';
import type { Built } from '../built.ts';
import { benchFile } from '../program.ts';
import type { Contender } from './contest.ts';
import { startServer } from './server.ts';

/** Our artefact with the wasm engine. */
export function artefact(name: string, { folderOf }: Built): Contender {
  return { name, checked: true, ours: true, start: () => startServer(['index.js'], folderOf('node')) };
}

/** Our artefact with the native engine, built when it is started. */
export function nativeArtefact(name: string, built: Built): Contender {
  return { ...artefact(name, built), start: async () => startServer(['index.js'], await buildNative(built)) };
}

async function buildNative({ root }: Built): Promise<string> {
  const out = join(root, 'build/node-native');
  await buildTarget({ root, target: 'node', engine: 'native', arch: thisArchitecture(), out });
  return out;
}

/** A program of the bench over the database of a built project. */
export function bare(name: string, file: string, { root, folderOf }: Built): Contender {
  const data = join(folderOf('node'), 'data.duckdb');
  return { name, checked: true, ours: false, start: () => startServer([benchFile(file), data], root) };
}
