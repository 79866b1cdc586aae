import type { Path } from '../../project/yaml/position.ts';
import type { ApiKey, AuthSettings } from '../model.ts';
import type { AccessIssue } from './access.ts';

const DAY_MS = 86_400_000;
/** Keys that end within this many days are reported. */
const SOON_DAYS = 30;

/** The issues of API keys: duplicates, ends, and missing scopes. No message contains a hash. `now` in milliseconds. */
export function apiKeyIssues(
  { api_keys, required_scopes }: AuthSettings,
  now: number,
): readonly AccessIssue[] {
  const keys = api_keys ?? [];
  return keys.flatMap((key, index) => [
    ...duplicateIssues(keys, index),
    ...expiryIssues(key, index, now),
    ...missingIssues(key, index, required_scopes),
  ]);
}

/** Whether a key is over. */
export function isExpired({ expires }: ApiKey, now: number): boolean {
  return expires !== null && expires <= now;
}

/** The keys that hold a scope now. */
export function keysHolding({ api_keys }: AuthSettings, scope: string, now: number): readonly ApiKey[] {
  return (api_keys ?? []).filter(
    (key) => !isExpired(key, now) && (scope === 'svc:access' || key.scopes.includes(scope)),
  );
}

/** Warns about scopes of keys that no endpoint and no setting asks for. */
export function unusedScopeIssues(auth: AuthSettings, needed: readonly string[]): readonly AccessIssue[] {
  const used = new Set(['svc:access', ...needed, ...auth.required_scopes]);
  return (auth.api_keys ?? []).flatMap(({ name, scopes }, index) =>
    scopes
      .filter((scope) => !used.has(scope))
      .map((scope) =>
        warning('api-key-scope-unused', ['api_keys', index, 'scopes'], {
          message: `has ${scope}, which no endpoint needs, so it gives the key ${name} nothing.`,
          fix: 'Correct the scope, or remove it.',
        }),
      ),
  );
}

interface Text {
  readonly message: string;
  readonly fix: string;
}

function warning(code: string, path: Path, text: Text): AccessIssue {
  return { severity: 'warning', code, path, ...text };
}

/** Two entries of one name could not be told apart in the audit, and two of one hash not at all. */
function duplicateIssues(keys: readonly ApiKey[], index: number): readonly AccessIssue[] {
  return (['name', 'hash'] as const).flatMap((field): readonly AccessIssue[] => {
    const first = keys.find((other) => other[field] === keys[index]?.[field]);
    if (first === undefined || keys.indexOf(first) === index) return [];
    const what = field === 'name' ? `the name of another key` : `the hash of the key ${first.name}`;
    const fix = field === 'name' ? 'Rename one of them.' : 'Remove one of them, or make a new key for it.';
    const path = ['api_keys', index, field];
    return [{ severity: 'error', code: 'duplicate-name', path, message: `is also ${what}.`, fix }];
  });
}

function expiryIssues(key: ApiKey, index: number, now: number): readonly AccessIssue[] {
  const { name, expires } = key;
  if (expires === null || expires - now > SOON_DAYS * DAY_MS) return [];
  const path = ['api_keys', index, 'expires'];
  const fix = `Make a new key with \`svc auth api-key ${name}\`, and replace the entry.`;
  if (isExpired(key, now)) {
    const message = `has passed, so the key ${name} lets nobody in.`;
    return [warning('api-key-expired', path, { message, fix: `${fix} Otherwise remove it.` })];
  }
  const days = Math.ceil((expires - now) / DAY_MS);
  const message = `ends the key ${name} in ${days === 1 ? 'a day' : `${days} days`} or less.`;
  return [warning('api-key-expires', path, { message, fix })];
}

function missingIssues(
  { name, scopes }: ApiKey,
  index: number,
  required: readonly string[],
): readonly AccessIssue[] {
  const missing = required.filter((scope) => scope !== 'svc:access' && !scopes.includes(scope));
  if (missing.length === 0) return [];
  const message = `lacks ${missing.join(' ')}, which every caller must hold, so the key ${name} may call nothing.`;
  const fix = 'Add the scopes, or remove them from `authorization.required_scopes`.';
  return [warning('scope-unheld', ['api_keys', index], { message, fix })];
}
