import { relative } from 'node:path';
import { toTextOrJson } from '../../src/json.ts';
import { styled } from '../io/output.ts';
import type { MergedFile } from './merged-file.ts';
import type { DbtChange } from './yaml-merge.ts';

const MARKS = { add: '+', change: '~', remove: '-' } as const;

/** Lists each file with its changes. */
export function toDbtChangeLines(
  files: readonly MergedFile[],
  { dryRun, needsForce }: { readonly dryRun: boolean; readonly needsForce: boolean },
): string {
  const lines = files.flatMap(({ path, action, changes }) => [
    `${verbOf(action, dryRun)} ${styled('strong', relative(process.cwd(), path) || path)}`,
    ...changes.map(toLine),
  ]);
  return [...lines, ...(dryRun && needsForce ? ['~ and - need --force'] : [])].join('\n');
}

function verbOf(action: MergedFile['action'], dryRun: boolean): string {
  if (action === 'none') return styled('dim', 'unchanged');
  return styled('ok', dryRun ? `would ${action}` : `${action}d`);
}

function toLine({ action, key, from, to }: DbtChange): string {
  const value =
    action === 'change'
      ? `${toTextOrJson(from)} -> ${toTextOrJson(to)}`
      : toTextOrJson(action === 'add' ? to : from);
  return `  ${MARKS[action]} ${key}: ${value}`;
}
