import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../src/version.ts';

/**
 * The advice for a command that npx runs from its own cache; null for an installed svc. npx asks the registry and looks
 * through its cache before each command.
 */
export function npxHint(self: string = import.meta.url): string | null {
  if (!self.includes('/_npx/')) return null;
  return `npx runs svc from its own cache, which takes a moment at each command. To start faster, run \`npm install svc-kit@${VERSION}\` in your project once; \`npx svc\` then runs the installed one.`;
}

/** The facts by which the words are chosen; each is this process's own by default. */
interface Started {
  readonly env?: NodeJS.ProcessEnv;
  readonly self?: string;
}

/**
 * The words that start svc in a folder, for commands to copy. If npx started this svc, it may not be in PATH. `npx svc`
 * finds it only in the folder of its installation and below; elsewhere npx would offer the package `svc` of others.
 */
export function typedSvc(
  folder: string,
  { env = process.env, self = import.meta.url }: Started = {},
): string {
  if (env.npm_command !== 'exec') return 'svc';
  return `${folder}${sep}`.startsWith(installationOf(self)) ? 'npx svc' : 'npx svc-kit';
}

/** The folder that has svc under `node_modules`, or the checkout. */
function installationOf(self: string): string {
  const path = fileURLToPath(self);
  return /^.*?[\\/](?=node_modules[\\/]svc-kit[\\/]|(dist[\\/])?cli[\\/]io[\\/])/.exec(path)?.[0] ?? path;
}
