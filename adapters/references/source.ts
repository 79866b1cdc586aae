import type { SecretReference, SecretSource } from '../../src/ports.ts';
import type { Connections, OnePasswordConnection } from '../../src/settings/references/connections.ts';
import { readToken, readVariable, type Variables } from './environment.ts';
import { createConnect, type OpReference } from './onepassword-connect.ts';
import { unresolved } from './unresolved.ts';
import { createVault } from './vault.ts';

type Read<Reference> = (reference: Reference, signal: AbortSignal) => Promise<string>;

/** The sources that only some platforms have. */
export interface PlatformSources {
  readonly readFile?: (path: string) => Promise<string>;
  /** Reads from 1Password without a Connect server. */
  readonly onePassword?: (token: string) => Read<OpReference>;
}

/**
 * Creates the source that resolves the references of the configuration on a platform. It throws
 * `reference_unresolved`.
 */
export function createSecretSource(
  connections: Connections,
  variables: Variables,
  platform: PlatformSources = {},
): SecretSource {
  const vault = createVault(connections.vault, variables);
  let op: Read<OpReference> | undefined;
  return {
    read: async (reference: SecretReference, signal: AbortSignal) => {
      if (reference.scheme === 'env') return readVariable(variables, reference.name);
      if (reference.scheme === 'vault') return vault(reference, signal);
      if (reference.scheme === 'file') return readFile(reference.path, platform);
      op ??= openOnePassword(connections.onepassword, variables, platform);
      return op(reference, signal);
    },
  };
}

function readFile(path: string, platform: PlatformSources): Promise<string> {
  if (platform.readFile) return platform.readFile(path);
  throw unresolved(
    'names a file, but this platform has no files.',
    'Put the value into a variable: ${NAME}.',
  );
}

function openOnePassword(
  connection: OnePasswordConnection | null,
  variables: Variables,
  { onePassword }: PlatformSources,
): Read<OpReference> {
  if (connection === null) {
    throw unresolved(
      'needs 1Password, which is not switched on.',
      'Set `onepassword.enabled: true` in the user file.',
    );
  }
  const { connectHost, connectTokenVariable, tokenVariable } = connection;
  if (connectHost !== null) return createConnect(connectHost, readToken(variables, connectTokenVariable));
  if (onePassword) return onePassword(readToken(variables, tokenVariable));
  throw unresolved(
    'needs 1Password, which this platform reaches only through a Connect server.',
    'Set `onepassword.connect_host`, or OP_CONNECT_HOST.',
  );
}
