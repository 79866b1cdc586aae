import type { JsonValue } from '../json.ts';
import { isCredentialName, withoutCredentials } from '../redaction/credential-names.ts';
import { REDACTED } from '../redaction/hidden-texts.ts';
import type { Secret, Settings } from './model.ts';
import { isPlainParameter } from './references/concealment.ts';

/**
 * The parameters of a secret of the active profile; null if the
 * profile has no secret of that name (spec, "Secret definition").
 */
export function getSecret({ secrets }: Pick<Settings, 'secrets'>, name: string): Secret['parameters'] | null {
  return secrets.find((secret) => secret.name === name)?.parameters ?? null;
}

/**
 * Lists the parameters of a secret that are secret themselves, for `Concealment.add`. A host, a user name or an address
 * is not, unless it contains a credential: an ordinary word such as `localhost` must not vanish from texts.
 */
export function hiddenValues(parameters: { readonly [name: string]: JsonValue }): readonly JsonValue[] {
  return valuesOf(parameters, (name, value) => !isPlainParameter(name) || holdsCredential(value));
}

function holdsCredential(value: JsonValue): boolean {
  return typeof value === 'string' && withoutCredentials(value, REDACTED) !== value;
}

/** Lists every secret of the settings, for `Concealment.add`. */
export function secretsOf({ secrets, telemetry, models, auth, plugins }: Settings): JsonValue {
  const { keys, provider, verifier, clients, persistence } = auth;
  return [
    ...secrets.flatMap(({ parameters }) => hiddenValues(parameters)),
    ...Object.values(telemetry.headers),
    ...Object.values(models.named).map(({ api_key }) => api_key),
    ...Object.values(plugins).flatMap((config) => valuesOf(config, isCredentialName)),
    ...keys.map(({ secret }) => secret),
    ...clients.map(({ client_secret }) => client_secret),
    provider?.client_secret ?? null,
    verifier?.client_secret ?? null,
    persistence?.type === 'sqlite' ? persistence.auth_encryption_key : null,
  ];
}

function valuesOf(
  object: { readonly [name: string]: JsonValue },
  isSecret: (name: string, value: JsonValue) => boolean,
): readonly JsonValue[] {
  return Object.entries(object).flatMap(([name, value]) => (isSecret(name, value) ? [value] : []));
}
