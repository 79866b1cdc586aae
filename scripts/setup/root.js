import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The Node that the npm package `node` brings; the machine's own may be too old. */
export const DEVELOPMENT_NODE = join(ROOT, 'node_modules/node/bin/node');
