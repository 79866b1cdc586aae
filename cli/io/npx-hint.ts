import { VERSION } from '../../src/version.ts';

/**
 * The advice for a command that npx runs from its own cache; null for an installed svc. npx asks the registry and looks
 * through its cache before each command.
 */
export function npxHint(self: string = import.meta.url): string | null {
  if (!self.includes('/_npx/')) return null;
  return `npx runs svc from its own cache, which takes a moment at each command. To start faster, run \`npm install svc-kit@${VERSION}\` in your project once; \`npx svc\` then runs the installed one.`;
}

/** The words that start svc, for commands to copy: `npx svc` if npx started this one, which may not be in PATH. */
export function typedSvc(env: NodeJS.ProcessEnv = process.env): string {
  return env.npm_command === 'exec' ? 'npx svc' : 'svc';
}
