import type { LoadStartSettings } from '../artefact/cold-start.ts';
import { loadWith } from '../artefact/start-settings.ts';
import { openNodeSource } from './references/source.ts';

/** Loads the settings of an artefact on Node or Lambda, where references may name files too. */
export const loadStartSettings: LoadStartSettings = (start) => loadWith(start, openNodeSource);
