import type { SecretSource } from '../../../src/ports.ts';
import type { Connections } from '../../../src/settings/references/connections.ts';
import type { Variables } from '../../references/environment.ts';
import { createSecretSource } from '../../references/source.ts';
import { readReferencedFile } from './file.ts';
import { createSdkReader } from './onepassword-sdk.ts';

/** Creates the source that resolves references on Node: variables, files, Vault, 1Password. */
export function openNodeSource(connections: Connections, variables: Variables): SecretSource {
  return createSecretSource(connections, variables, {
    readFile: readReferencedFile,
    onePassword: createSdkReader,
  });
}
