import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SecretSource } from '../../../src/ports.ts';
import type { Connections } from '../../../src/settings/references/connections.ts';
import type { Variables } from '../../references/environment.ts';
import { createSecretSource } from '../../references/source.ts';
import { unresolved } from '../../references/unresolved.ts';
import { createSdkReader } from './onepassword-sdk.ts';

/** Creates the source that resolves references on Node: variables, files, Vault, 1Password. */
export function openNodeSource(connections: Connections, variables: Variables): SecretSource {
  return createSecretSource(connections, variables, {
    readFile: readReferencedFile,
    onePassword: createSdkReader,
  });
}

const MAX_BYTES = 1_048_576;

/**
 * Reads the file of a `file://` reference, relative to the working directory, without surrounding space (spec,
 * "Dynamic values"). Throws `reference_unresolved`.
 */
async function readReferencedFile(path: string): Promise<string> {
  const place = resolve(path);
  const found = await stat(place).catch(() => null);
  if (found === null) {
    throw unresolved(
      'names a file that does not exist.',
      'Create it, or correct the path: it is relative to the working directory.',
    );
  }
  if (!found.isFile()) throw unresolved('names a folder or device, not a file.', 'Name a file.');
  if (found.size > MAX_BYTES) {
    throw unresolved(`names a file of more than ${MAX_BYTES} bytes.`, 'Name a smaller file.');
  }
  const bytes = await readFile(place).catch(() => {
    throw unresolved('names a file that svc may not read.', 'Give the user that runs svc read access to it.');
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    throw unresolved('names a file that is not UTF-8 text.', 'Save it as UTF-8.');
  }
}
