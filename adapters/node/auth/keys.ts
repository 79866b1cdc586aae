import { createHash } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generateKey, parseKeys, type RootKey } from '../../../src/crypto/keys.ts';
import { SvcError } from '../../../src/errors.ts';
import type { Log } from '../../../src/ports.ts';
import type { AuthSettings } from '../../../src/settings/model.ts';

/** Keys for a server that is the only one: those beside its store, or one that ends with the process. */
export function ownKeys({ keys, persistence }: AuthSettings, log: Log): readonly RootKey[] {
  if (keys.length > 0) return [];
  if (persistence?.type !== 'sqlite') {
    log({ level: 'warn', message: EPHEMERAL });
    return parseKeys([generateKey()]);
  }
  const { auth_encryption_key: written, path } = persistence;
  return written === null ? [keptKey(`${path}.key`)] : [fromText(written)];
}

const EPHEMERAL =
  'There is no key to seal tokens with, so one was made that ends with this process: everybody signs in again after a restart. Set SVC_AUTH_KEYS (`svc auth keygen`), or `auth.persistence`.';

const MIN_TEXT = 32;

/** A key that is given as any long text, as other servers of this kind take it. */
function fromText(text: string): RootKey {
  if (text.length >= MIN_TEXT) {
    return { kid: 'persistence', secret: new Uint8Array(createHash('sha256').update(text).digest()) };
  }
  throw new SvcError(
    'config_invalid',
    `\`auth.persistence.auth_encryption_key\` must have ${MIN_TEXT} characters or more.\nMake a key with \`svc auth keygen\`, and set SVC_AUTH_KEYS to it instead.`,
  );
}

/** The key beside the store, made on the first start; readable by its owner alone. */
function keptKey(path: string): RootKey {
  try {
    if (!existsSync(path)) create(path);
    chmodSync(path, 0o600);
    const [kid = '', secret = ''] = readFileSync(path, 'utf8').trim().split(':');
    const [key] = parseKeys([{ kid, secret }]);
    if (key !== undefined) return key;
  } catch (cause) {
    const message = `The key file ${path} cannot be read or made.\nGive this user the right to, or set SVC_AUTH_KEYS (\`svc auth keygen\`).`;
    throw new SvcError('config_invalid', message, { cause });
  }
  throw new SvcError('config_invalid', `The key file ${path} is empty.`);
}

/** Whole or not at all, and of two processes that start at once, one makes it. */
function create(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { kid, secret } = generateKey();
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${kid}:${secret}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (cause) {
    if (!existsSync(path)) throw cause;
  } finally {
    rmSync(draft);
  }
}
