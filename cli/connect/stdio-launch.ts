import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Launch } from './clients.ts';

/** A project's server as a program; whole paths, because clients start it from anywhere and know little of a shell's environment. */
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
