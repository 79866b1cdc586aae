import type { Secret, Settings } from './model.ts';

/**
 * The parameters of a secret of the active profile; null if the
 * profile has no secret of that name (spec, "Secret definition").
 */
export function getSecret({ secrets }: Pick<Settings, 'secrets'>, name: string): Secret['parameters'] | null {
  return secrets.find((secret) => secret.name === name)?.parameters ?? null;
}
