import type { DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { SITE_NAME } from '../../src/project/site.ts';
import { type Positions, positionAt } from '../../src/project/yaml/position.ts';

/** The extensions that the native engine cannot load on this machine, each at its place: no server would start here. */
export async function checkLoadable(
  choice: DatabaseChoice,
  positions: Positions,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [index, extension] of (choice.extensions?.extensions ?? []).entries()) {
    const error = await tryToLoad({ ...choice.extensions, extensions: [extension] });
    if (error === null) continue;
    const [message = '', fix = ''] = error.message.split('\n');
    findings.push({
      severity: 'error',
      code: 'extension-unavailable',
      file: SITE_NAME,
      ...positionAt(positions, ['extensions', index]),
      message,
      fix,
    });
  }
  return findings;
}

/** In an engine of its own: the database may be missing, or held by a server. */
async function tryToLoad(settings: DatabaseChoice['extensions']): Promise<SvcError | null> {
  const { openNative } = await import('../../adapters/duckdb-native/open.ts');
  try {
    const database = await openNative({ path: ':memory:', readonly: false, ...settings });
    await database.close();
    return null;
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.code === 'database_unavailable') return thrown;
    throw thrown;
  }
}
