import * as v from 'valibot';
import { nearestName } from '../types/nearest.ts';
import type { Finding } from './finding.ts';
import type { YamlFile, YamlPath } from './yaml-file.ts';

/** A value that fits its schema, or the findings about it. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly findings: readonly Finding[] };

const MAX_FINDINGS = 50;

/** Holds a part of a YAML file against a schema; every problem is a finding at its place. */
export function checkSchema<T>(
  yaml: YamlFile,
  path: YamlPath,
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
): Checked<T> {
  const result = v.safeParse(schema, value);
  if (result.success) return { ok: true, value: result.output };
  const issues = result.issues.slice(0, MAX_FINDINGS);
  return { ok: false, findings: issues.map((issue) => toFinding(yaml, path, schema, issue)) };
}

/** A finding about the place of a path in a YAML file. */
export function findingAt(
  yaml: YamlFile,
  path: YamlPath,
  {
    code,
    message,
    fix,
    severity = 'error',
    what = 'value',
  }: Partial<Pick<Finding, 'severity'>> & {
    code: string;
    message: string;
    fix: string;
    what?: 'key' | 'value';
  },
): Finding {
  return { severity, code, file: yaml.file, ...yaml.at(path, what), message, fix };
}

function toFinding(
  yaml: YamlFile,
  base: YamlPath,
  schema: v.GenericSchema,
  issue: v.BaseIssue<unknown>,
): Finding {
  const inside = stepsOf(issue);
  const path = [...base, ...inside];
  const name = path.at(-1);
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return unknownKey(yaml, path, knownKeys(schema, inside));
  if (issue.type === 'strict_object' && issue.received === 'undefined') {
    const parent = path.slice(0, -1);
    return findingAt(yaml, parent, {
      code: 'missing-field',
      message: `${label(parent)} has no \`${name}\`.`,
      fix: `Add \`${name}:\`.`,
      what: 'key',
    });
  }
  return wrongValue(yaml, path, issue);
}

function unknownKey(yaml: YamlFile, path: YamlPath, known: readonly string[]): Finding {
  const name = String(path.at(-1));
  const nearest = nearestName(name, known);
  const fix = nearest ? `Did you mean \`${nearest}\`?` : `Remove it; the keys here are ${known.join(', ')}.`;
  return findingAt(yaml, path, {
    code: 'unknown-key',
    message: `${label(path.slice(0, -1))} has no key \`${name}\`.`,
    fix,
    what: 'key',
  });
}

function wrongValue(yaml: YamlFile, path: YamlPath, issue: v.BaseIssue<unknown>): Finding {
  if (path.at(-1) === 'svc') return wrongVersion(yaml, path, issue);
  const own = /^Invalid /.test(issue.message);
  const wanted = own ? `must be ${expectedText(issue)}, not ${receivedText(issue)}` : issue.message;
  return findingAt(yaml, path, {
    code: 'invalid-value',
    message: `${label(path)} ${wanted}.`,
    fix: own && issue.type === 'picklist' ? suggestion(issue) : 'Change the value.',
  });
}

function wrongVersion(yaml: YamlFile, path: YamlPath, { input }: v.BaseIssue<unknown>): Finding {
  const text = typeof input === 'string';
  return findingAt(yaml, path, {
    code: 'schema-version',
    message: text
      ? '`svc` is written as text; the schema version is the number 1.'
      : '`svc` is the schema version, and the only one is 1.',
    fix: 'Write `svc: 1`, without quotes.',
  });
}

function suggestion({ input, expected }: v.BaseIssue<unknown>): string {
  const known = (expected ?? '').replace(/[()"]/g, '').split(' | ');
  const nearest = typeof input === 'string' ? nearestName(input, known) : null;
  return nearest ? `Did you mean ${nearest}?` : 'Use one of these.';
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  Object: 'a map',
  Array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  null: 'empty',
  undefined: 'missing',
};

function expectedText({
  expected,
  type,
  requirement,
}: v.BaseIssue<unknown> & { requirement?: unknown }): string {
  if (type === 'integer') return 'a whole number';
  if (type === 'min_value') return `at least ${requirement}`;
  if (type === 'max_value') return `at most ${requirement}`;
  if (type === 'picklist') return `one of ${(expected ?? '').replace(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  return NAMES[expected ?? ''] ?? `${expected}`;
}

function receivedText({ input, received }: v.BaseIssue<unknown>): string {
  if (input === null) return 'empty';
  if (typeof input === 'string') return JSON.stringify(input.slice(0, 60));
  if (Array.isArray(input)) return 'a list';
  return typeof input === 'object' ? 'a map' : received;
}

function stepsOf(issue: v.BaseIssue<unknown>): (string | number)[] {
  return (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
}

/** `tool.parameters[1].type`, or "The file" for its top level. */
function label(path: YamlPath): string {
  if (path.length === 0) return 'The file';
  const text = path.reduce<string>(
    (before, step) => (typeof step === 'number' ? `${before}[${step}]` : before ? `${before}.${step}` : step),
    '',
  );
  return `\`${text}\``;
}

/** The keys that a schema knows at a path, for "did you mean". */
function knownKeys(schema: v.GenericSchema, path: readonly (string | number)[]): readonly string[] {
  let level: unknown = schema;
  for (const step of path.slice(0, -1)) level = below(unwrap(level), step);
  const found = unwrap(level);
  return isRecord(found) && isRecord(found.entries) ? Object.keys(found.entries) : [];
}

function below(schema: unknown, step: string | number): unknown {
  if (!isRecord(schema)) return null;
  if (isRecord(schema.entries)) return schema.entries[String(step)];
  return schema.item ?? schema.value ?? null;
}

function unwrap(schema: unknown): unknown {
  let found = schema;
  while (isRecord(found) && (found.wrapped !== undefined || typeof found.getter === 'function')) {
    found = typeof found.getter === 'function' ? found.getter(undefined) : found.wrapped;
  }
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
