import { isObject, type JsonObject, type JsonValue, textOf } from '../../json.ts';
import { DEFAULTS } from '../effective/defaults.ts';
import type { Environment } from '../environment.ts';

/** The connections to secret managers. Tokens are read at their use. */
export interface Connections {
  readonly vault: VaultConnection | null;
  readonly onepassword: OnePasswordConnection | null;
}

/** An enabled `vault` block of the user file. */
export interface VaultConnection {
  readonly address: string;
  readonly tokenVariable: string;
  readonly namespace: string | null;
}

/** An enabled `onepassword` block of the user file. */
export interface OnePasswordConnection {
  readonly tokenVariable: string;
  /** Null if there is no Connect server, so that the SDK is used. */
  readonly connectHost: string | null;
  readonly connectTokenVariable: string;
}

/** The enabled connections with resolved references. Addresses default to the variables of the vendors' tools. */
export function toConnections(tree: JsonObject, env: Environment): Connections {
  const vault = blockOf(tree.vault);
  const onepassword = blockOf(tree.onepassword);
  return {
    vault: isOn(vault)
      ? {
          address: textOf(vault, 'address') ?? env.VAULT_ADDR ?? '',
          tokenVariable: textOf(vault, 'token_env') ?? DEFAULTS['vault.token_env'],
          namespace: textOf(vault, 'namespace') ?? env.VAULT_NAMESPACE ?? null,
        }
      : null,
    onepassword: isOn(onepassword)
      ? {
          tokenVariable: textOf(onepassword, 'token_env') ?? DEFAULTS['onepassword.token_env'],
          connectHost: textOf(onepassword, 'connect_host') ?? env.OP_CONNECT_HOST ?? null,
          connectTokenVariable:
            textOf(onepassword, 'connect_token_env') ?? DEFAULTS['onepassword.connect_token_env'],
        }
      : null,
  };
}

function blockOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** A resolved value is still text here, so `"true"` counts. */
function isOn({ enabled }: JsonObject): boolean {
  return enabled === true || (typeof enabled === 'string' && /^true$/i.test(enabled));
}
