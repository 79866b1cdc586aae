import { SvcError } from '../../src/errors.ts';
import type { LoadStartSettings } from './cold-start.ts';

/** Replaces `start-settings.ts` in artefacts of a project without settings: the loader is a quarter of the code. */
export const loadStartSettings: LoadStartSettings = async ({ env }) => {
  if (!env.SVC_CONFIG_YAML?.trim()) return null;
  throw new SvcError(
    'config_invalid',
    'SVC_CONFIG_YAML is set, but this artefact was built without the code that reads it. Remove the variable, or build again with `svc build --config <file>` or with the names of your secrets in svc-site.yml.',
  );
};
