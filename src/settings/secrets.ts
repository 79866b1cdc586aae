import type { JsonValue } from '../json.ts';
import { isCredentialName } from '../redaction/credential-names.ts';
import type { Secret, Settings } from './model.ts';
import { hiddenValues } from './references/concealment.ts';

/**
 * The parameters of a secret of the active profile; null if the
 * profile has no secret of that name (spec, "Secret definition").
 */
export function getSecret({ secrets }: Pick<Settings, 'secrets'>, name: string): Secret['parameters'] | null {
  return secrets.find((secret) => secret.name === name)?.parameters ?? null;
}

/** Lists every secret of the settings, for `Concealment.add`. */
export function secretsOf({ secrets, telemetry, models, auth, plugins }: Settings): JsonValue {
  const { keys, provider, verifier, clients, persistence } = auth;
  return [
    ...secrets.flatMap(({ parameters }) => hiddenValues(parameters)),
    ...Object.values(telemetry.headers),
    ...Object.values(models.named).map(({ api_key }) => api_key),
    ...Object.values(plugins).flatMap(credentialsIn),
    ...keys.map(({ secret }) => secret),
    ...clients.map(({ client_secret }) => client_secret),
    provider?.client_secret ?? null,
    verifier?.client_secret ?? null,
    persistence?.type === 'sqlite' ? persistence.auth_encryption_key : null,
  ];
}

function credentialsIn(config: Settings['plugins'][string]): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => (isCredentialName(name) ? [value] : []));
}
