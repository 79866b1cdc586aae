import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The Node of the npm package `node`; the machine's own may be too old. */
export const DEVELOPMENT_NODE = join(ROOT, 'node_modules/node/bin/node');
