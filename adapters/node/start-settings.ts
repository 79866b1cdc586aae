import type { LoadStartSettings } from '../edge/cold-start.ts';
import { loadWith } from '../edge/load.ts';
import { openNodeSource } from './references/source.ts';

/** The settings of an artefact on Node or Lambda. */
export const loadStartSettings: LoadStartSettings = (start) => loadWith(start, openNodeSource);
