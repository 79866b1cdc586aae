import type { LoadStartSettings } from '../artefact/cold-start.ts';
import { loadWith } from '../artefact/load-settings.ts';
import { createSecretSource } from '../references/source.ts';

/** The Worker's settings: references lead to its bindings, Vault and 1Password Connect. */
export const loadStartSettings: LoadStartSettings = (start) => loadWith(start, createSecretSource);
