import type { LoadStartSettings } from '../artefact/cold-start.ts';
import { loadWith } from '../artefact/load-settings.ts';
import { openNodeSource } from './references/source.ts';

/** The settings of an artefact on Node or Lambda. */
export const loadStartSettings: LoadStartSettings = (start) => loadWith(start, openNodeSource);
