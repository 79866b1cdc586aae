import type { DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { TARGET_NAMES, type TargetName } from '../../deploy/target.ts';
import { SvcError } from '../../src/errors.ts';
import type { CommandInput } from '../io/input.ts';
import { type CheckedProject, databaseOf } from './project.ts';

/** What `--target` names: a platform that `svc build` writes for, or an engine by itself. */
export type TargetChoice = TargetName | 'wasm' | 'native';

export const TARGETS: readonly TargetChoice[] = ['wasm', 'native', ...TARGET_NAMES];

/** The `--target` of a command; null without one. */
export function targetOf(input: CommandInput): TargetChoice | null {
  const asked = input.text('target');
  if (asked === undefined) return null;
  const target = TARGETS.find((name) => name === asked);
  if (target) return target;
  throw new SvcError('usage', `--target ${asked} is not known. Choose ${TARGETS.join(', ')}.`);
}

/** The project's database as a target opens it: every artefact serves it read-only, by the wasm engine. */
export function databaseFor(checked: CheckedProject, target: TargetChoice | null): DatabaseChoice {
  const own = databaseOf(checked);
  if (target === null) return own;
  return target === 'native' ? { ...own, engine: 'native' } : { ...own, engine: 'wasm', readonly: true };
}
