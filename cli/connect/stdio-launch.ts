import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Launch } from './clients.ts';

/**
 * The command that starts a project's server. All paths are absolute, because clients start it in any folder with a
 * small environment.
 */
export function stdioLaunch(root: string, profile: string | undefined): Extract<Launch, { kind: 'stdio' }> {
  const { SVC_CONFIG: config } = process.env;
  return {
    kind: 'stdio',
    command: process.execPath,
    args: [
      // npx starts a link in its cache, which does not last
      realpathSync(process.argv[1] ?? 'svc'),
      ...['-C', root, 'serve', '--transport', 'stdio'],
      ...(profile === undefined ? [] : ['--profile', profile]),
    ],
    env: config ? { SVC_CONFIG: resolve(config) } : {},
  };
}
