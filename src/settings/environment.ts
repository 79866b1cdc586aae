import type { Finding } from '../project/finding.ts';
import { isMemory, LEAST_MEMORY_MB } from '../project/memory.ts';
import { nearestName } from '../types/nearest.ts';
import { toBoolean } from './boolean.ts';
import { VARIABLES, type Variable } from './variables.ts';

/** The environment of a process, or the text bindings of a platform. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The origins of effective values, strongest first. */
export type OriginKind = 'flag' | 'environment' | 'user-file' | 'site-file' | 'default';

/** The source of a value: `--port`, `SVC_READONLY`, or a position such as `svc-site.yml:7`. */
export interface Origin {
  readonly kind: OriginKind;
  /** The flag, the variable or the position; null for a default. */
  readonly source: string | null;
}

/** A value from a flag or from the environment, which replaces the value of a file. */
export interface Override {
  readonly key: string;
  readonly value:
    | string
    | number
    | boolean
    | { readonly [name: string]: string }
    | readonly { readonly [name: string]: string }[];
  readonly origin: Origin;
}

/** The overrides from the environment, and findings about them. */
interface ReadEnvironment {
  readonly overrides: readonly Override[];
  readonly findings: readonly Finding[];
}

/** Reads every variable of VARIABLES. An empty variable counts as not set. */
export function readEnvironment(env: Environment): ReadEnvironment {
  const overrides: Override[] = [];
  const findings: Finding[] = [...checkNames(env)];
  for (const variable of VARIABLES) {
    const text = env[variable.name];
    if (variable.key === null || text === undefined || text.trim() === '') continue;
    const value = toValue(text.trim(), variable.type);
    if (value === null) findings.push(wrong(variable));
    else {
      const origin = { kind: 'environment', source: variable.name } as const;
      overrides.push({ key: variable.key, value, origin });
    }
  }
  return { overrides, findings };
}

function toValue(text: string, type: Variable['type']): Override['value'] | null {
  if (type === 'boolean') return toBoolean(text);
  if (type === 'number') return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
  if (type === 'amount') return toAmount(text);
  if (type === 'pairs') return toPairs(text);
  if (type === 'keys') return toKeys(text);
  if (type === 'text' || type === 'path') return text;
  return type.includes(text) ? text : null;
}

/** Parses `kid:secret,kid:secret`; null for any other text. */
export function toKeys(text: string): readonly { readonly kid: string; readonly secret: string }[] | null {
  const keys = text.split(',').map((entry) => /^\s*([\w-]{1,32}):(\S+)\s*$/.exec(entry));
  const sound = keys.flatMap((found) => (found ? [{ kid: found[1] ?? '', secret: found[2] ?? '' }] : []));
  return sound.length === keys.length ? sound : null;
}

/** Parses an amount of memory. A number without a unit is in megabytes, as in the site file. */
export function toAmount(text: string): string | null {
  const amount = /^\d+$/.test(text) ? `${text}MB` : text;
  return isMemory(amount) ? amount : null;
}

/** Parses `a=1,b=2`, percent-decoded (OpenTelemetry, "Specifying headers via environment variables"). */
function toPairs(text: string): { readonly [name: string]: string } | null {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const entries = pairs.map((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? null : ([pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())] as const);
  });
  const sound = entries.filter((entry) => entry !== null && entry[0] !== '' && entry[0] !== '__proto__');
  return sound.length === pairs.length ? Object.fromEntries(sound as (readonly [string, string])[]) : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function wrong({ name, type }: Variable): Finding {
  const expected = {
    boolean: 'true or false',
    number: 'a whole number of 1 or more',
    keys: 'kid:secret, several separated by commas (make one with `svc auth keygen`)',
    amount: `an amount of memory such as 512MB, ${LEAST_MEMORY_MB}MB or more`,
    pairs: 'pairs of name=value, separated by commas',
    text: 'text',
    path: 'a path',
  };
  const what = typeof type === 'string' ? expected[type] : `one of ${type.join(', ')}`;
  return finding('error', 'wrong-value', `${name} must be ${what}.`, 'Correct the variable, or unset it.');
}

/** Warns about similar names: a typing error such as SVC_READ_ONLY would silently leave a database writable. */
function checkNames(env: Environment): readonly Finding[] {
  const known = VARIABLES.map(({ name }) => name);
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith('SVC_') || known.includes(name)) return [];
    const near = nearestName(
      name.slice(4),
      known.map((one) => one.replace(/^SVC_/, '')),
    );
    if (near === null || !known.includes(`SVC_${near}`)) return [];
    const message = `${name} is set, but svc has no such variable.`;
    return [finding('warning', 'unknown-variable', message, `Did you mean SVC_${near}?`)];
  });
}

function finding(severity: Finding['severity'], code: string, message: string, fix: string): Finding {
  return { severity, code, file: 'environment', line: 0, column: 0, message, fix };
}
