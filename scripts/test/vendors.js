import { join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { firstReason } from './first-reason.js';
import { installOnce } from './install-once.js';
import { installNpm, npmPins } from './npm-packages.js';
import { installPython, pythonPins } from './python-packages.js';

/**
 * The folder with small packages of vendors, whose clients and converters CI runs. Without a package index it is null,
 * with the reason.
 */
export function ensureLightVendors() {
  return ensure('vendors-light', { python: 'vendors-light' });
}

/** The folder with all packages: 1 GB. */
export function ensureVendors() {
  // langchain-mcp-adapters needs version 1 of the package mcp.
  return ensure('vendors', { python: 'vendors', langchain: 'langchain' });
}

async function ensure(name, environments) {
  const folder = join(ROOT, 'build', name);
  const lists = Object.entries(environments);
  const pins = [npmPins(name), ...lists.map(([, list]) => pythonPins(list))];
  const reason = await installOnce(folder, pins, () =>
    firstReason([
      () => installNpm(name, folder),
      ...lists.map(
        ([environment, list]) =>
          () =>
            installPython(list, join(folder, environment)),
      ),
    ]),
  );
  return { bin: reason === '' ? folder : null, reason };
}
