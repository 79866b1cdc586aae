import { createHash } from 'node:crypto';
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generateKey, parseKeys, type RootKey } from '../../../src/crypto/keys.ts';
import { SvcError } from '../../../src/errors.ts';
import type { Log } from '../../../src/ports.ts';
import type { AuthSettings } from '../../../src/settings/model.ts';
import { absolutePath } from '../absolute-path.ts';
import { makeFolder } from '../make-folder.ts';

/**
 * Returns the keys of a single server, which follow those of `auth.keys`: `auth_encryption_key`, and the key beside its store. A
 * server without any other key makes the latter. Without a store it makes a key that ends with the process.
 */
export function ownKeys(
  { keys, persistence }: Pick<AuthSettings, 'keys' | 'persistence'>,
  log: Log,
): readonly RootKey[] {
  if (persistence?.type === 'sqlite') return storeKeys(persistence, keys.length === 0);
  if (keys.length > 0) return [];
  log({ level: 'warn', message: EPHEMERAL });
  return parseKeys([generateKey()]);
}

/** The keys of a server with a store. A key that was used before stays valid for sealed values, so a new key ends no session. */
function storeKeys(
  { auth_encryption_key: written, path }: SqliteStore,
  isAlone: boolean,
): readonly RootKey[] {
  const beside = `${absolutePath('', path)}.key`;
  const makes = isAlone && written === null;
  return [
    ...(written === null ? [] : [fromText(written)]),
    ...(makes || existsSync(beside) ? [keptKey(beside)] : []),
  ];
}

type SqliteStore = Extract<AuthSettings['persistence'], { readonly type: 'sqlite' }>;

const EPHEMERAL =
  'No key for sealing tokens is configured, so a key was made that ends with this process: users must sign in again after a restart. Set SVC_AUTH_KEYS (`svc auth keygen`), or `auth.persistence`.';

/** Derives a key from `auth_encryption_key`, which may be any long text, as in other MCP servers. */
function fromText(text: string): RootKey {
  return { kid: 'persistence', secret: new Uint8Array(createHash('sha256').update(text).digest()) };
}

/** Reads the key beside the store and creates it on the first start. Only its owner can read it. */
function keptKey(path: string): RootKey {
  try {
    if (!existsSync(path)) create(path);
    chmodSync(path, 0o600);
    const [kid = '', secret = ''] = readFileSync(path, 'utf8').trim().split(':');
    const [key] = parseKeys([{ kid, secret }]);
    if (key !== undefined) return key;
  } catch (cause) {
    const message = `The key file ${path} cannot be read or created.\nGive this user access to it, or remove it and set SVC_AUTH_KEYS (\`svc auth keygen\`).`;
    throw new SvcError('config_invalid', message, { cause });
  }
  throw new SvcError('config_invalid', `The key file ${path} is empty.`);
}

/** Creates the file whole or not at all. If two processes start at once, both use the file of the first. */
function create(path: string): void {
  makeFolder(dirname(path), 0o700);
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
