import * as v from 'valibot';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { Finding } from '../../project/finding.ts';
import { pathOf } from '../../project/schema/issues.ts';
import { type Path, positionAt, toPointer } from '../../project/yaml/position.ts';
import { fromEffectiveKey, type Selected, toEffectivePath, toUserPath } from '../active.ts';
import type { Override } from '../environment.ts';
import type { Resolved } from '../references/resolve.ts';
import { nodeAt } from '../schema/node.ts';
import { ACTIVE_USER, type ParsedActive } from '../schema/user.ts';
import type { UserFile } from '../user-file.ts';
import { replaceLeaves, toKey, valueAt, withValue } from './tree.ts';

/** The active part with resolved references, and the overrides. */
interface Layers {
  readonly user: UserFile | null;
  readonly selected: Selected;
  readonly value: JsonObject;
  readonly resolved: readonly Resolved[];
  readonly overrides: readonly Override[];
}

/** The active part with all overrides applied, and its checked form. */
export interface Merged {
  readonly tree: JsonObject;
  readonly active: ParsedActive | null;
  readonly findings: readonly Finding[];
}

const BLOCKS = ['transport', 'telemetry', 'logging', 'auth', 'models', 'secrets', 'plugin'];

/** Whether the user file may contain a setting. */
function isUserKey(key: string): boolean {
  return BLOCKS.includes(key.split('.')[0] ?? '');
}

/** Applies flags and environment variables to the user's values and checks the result against the schema. */
export function mergeLayers(layers: Layers): Merged {
  const plain = withTypes(layers);
  const tree = layers.overrides
    .filter(({ key }) => isUserKey(key))
    .reduce<JsonValue>((around, { key, value }) => withValue(around, fromEffectiveKey(key), value), plain);
  const result = v.safeParse(ACTIVE_USER, tree);
  const findings = (result.issues ?? []).map((issue) => toFinding(issue, layers));
  return { tree: tree as JsonObject, active: result.success ? result.output : null, findings };
}

/** Values from flags, variables and references are text. Converts them if the schema expects a number or a boolean. */
function withTypes({ value, resolved }: Layers): JsonObject {
  const typed = new Map<string, JsonValue>();
  for (const { path } of resolved) {
    const text = valueAt(value, path);
    const node = nodeAt(ACTIVE_USER, path);
    const type = node?.kind === 'leaf' ? node.type : 'text';
    if (typeof text === 'string') typed.set(toPointer(path), toType(text, type));
  }
  return replaceLeaves(value, typed) as JsonObject;
}

function toType(text: string, type: string): JsonValue {
  if (type === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?(?:e[+-]?\d{1,2})?$/i.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return /^t/i.test(text);
  return text;
}

function toFinding(issue: v.BaseIssue<unknown>, layers: Layers): Finding {
  const [code = '', said = '', fix = ''] = issue.message.split('\n');
  const path = pathOf(issue);
  const { user, selected } = layers;
  const key = toKey(path[0] === 'profile' ? toUserPath(path, selected) : path);
  const override = layers.overrides.find((one) => toKey(toEffectivePath(path)).startsWith(one.key));
  if (override) {
    const message = `${override.origin.source}: \`${override.key}\` ${withoutValue(said)}`;
    return { severity: 'error', code, file: override.origin.kind, line: 0, column: 0, message, fix };
  }
  const { line, column } = user ? positionAt(user.yaml.positions, toUserPath(path, selected)) : START;
  const reference = layers.resolved.find((one) => startsWith(one.path, path) || startsWith(path, one.path));
  const message = reference
    ? `\`${key}\`, which is ${reference.reference}, ${withoutValue(said)}`
    : `\`${key}\` ${said}`;
  return { severity: 'error', code, file: user?.name ?? 'environment', line, column, message, fix };
}

const START = { line: 1, column: 1 };

/** Removes the wrong value from a message: `must be one of a, b, not "c".` It may be a secret. */
function withoutValue(message: string): string {
  return message.replace(/, not .*$/, '.');
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((key, index) => path[index] === key);
}
