import { type Architecture, parseArchitecture } from '../../deploy/native/architecture.ts';
import {
  type EngineName,
  TARGET_CHOICES,
  TARGET_NAMES,
  type TargetChoice,
  type TargetName,
} from '../../deploy/targets/targets.ts';
import { SvcError } from '../../src/errors.ts';
import type { CommandInput } from '../command.ts';

/** The `--target` of a command; null without one. */
export function targetOf(input: CommandInput): TargetChoice | null {
  const asked = input.text('target');
  if (asked === undefined) return null;
  const target = TARGET_CHOICES.find((name) => name === asked);
  if (target) return target;
  throw new SvcError('usage', `--target ${asked} is not known. Choose ${TARGET_CHOICES.join(', ')}.`);
}

/** The platform that `--target` names; throws if the option is missing or names none. */
export function platformOf(input: CommandInput, command: string): TargetName {
  const asked = input.text('target');
  const target = TARGET_NAMES.find((name) => name === asked);
  if (target) return target;
  const what = asked === undefined ? `svc ${command} needs --target` : `--target ${asked} is not known`;
  throw new SvcError('usage', `${what}. Choose ${TARGET_NAMES.join(', ')}.`);
}

const ENGINES = ['wasm', 'native'] as const;

/** The `--engine` of a build; wasm without one. */
export function engineOf(input: CommandInput): EngineName {
  const asked = input.text('engine') ?? 'wasm';
  const engine = ENGINES.find((name) => name === asked);
  if (engine) return engine;
  throw new SvcError('usage', `--engine ${asked} is not known. Choose ${ENGINES.join(' or ')}.`);
}

/** The `--arch` of a build; undefined without one. */
export function archOf(input: CommandInput): Architecture | undefined {
  const asked = input.text('arch');
  return asked === undefined ? undefined : parseArchitecture(asked);
}
