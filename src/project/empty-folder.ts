import type { Files } from '../ports.ts';
import type { Finding } from './finding.ts';
import { listFolder } from './read.ts';
import { DEFAULT_PATHS, type Paths, SITE_NAME } from './site-model.ts';
import type { Position } from './yaml/position.ts';

/** A folder of `paths` in which nothing was found. */
interface EmptyFolder {
  readonly key: 'tools' | 'resources' | 'prompts' | 'skills';
  readonly paths: Paths;
  /** The place of its key in the site file. */
  readonly position: Position;
  /** The kind of file that it should have. */
  readonly noun: string;
  /** A text that each of these files has. A folder of another tool may have the same name. */
  readonly sign: RegExp;
}

/** Warns of a folder that the site file names, and of files in a folder whose name lacks the plural. */
export async function checkEmptyFolder(
  files: Files,
  { key, paths, position, noun, sign }: EmptyFolder,
): Promise<readonly Finding[]> {
  const place = { severity: 'warning', code: 'folder-empty', file: SITE_NAME, ...position } as const;
  if (paths[key] !== DEFAULT_PATHS[key]) {
    const message = `There is no ${noun} below ${paths[key]}.`;
    return [{ ...place, message, fix: 'Correct the path, or remove the key.' }];
  }
  const singular = key.slice(0, -1);
  const listed = await listFolder(files, singular);
  if ('code' in listed || !(await hasOne(files, listed, sign))) return [];
  return [
    {
      ...place,
      message: `There are no ${key}: svc reads ${key}/, and the files are in ${singular}/.`,
      fix: `Rename the folder to ${key}, or set \`paths: { ${key}: ${singular} }\` in svc-site.yml.`,
    },
  ];
}

/** Whether the first bytes of one of the text files have the sign. */
async function hasOne(files: Files, paths: readonly string[], sign: RegExp): Promise<boolean> {
  for (const path of paths.filter((one) => /\.(?:ya?ml|md)$/i.test(one))) {
    const bytes = await files.read(path, MOST_BYTES).catch(() => null);
    if (bytes !== null && sign.test(new TextDecoder().decode(bytes))) return true;
  }
  return false;
}

const MOST_BYTES = 65_536;
