import type { Architecture } from '../native/architecture.ts';
import type { BuildTarget } from './target.ts';

/** The engine of an artefact, as `--engine` takes it. */
export type Engine = 'wasm' | 'native';

/** A platform in brief. Its code is loaded only when it is asked for, because `svc --help` reads this list. */
export interface TargetEntry {
  /** The platform's name for people, e.g. `AWS Lambda`. */
  readonly title: string;
  /**
   * How the platform runs Python endpoints. `native`: with its own `python3`, or in WebAssembly if it has none.
   * `wasm`: always in WebAssembly. `experimental`: only if built with `--experimental-python`.
   */
  readonly python: 'native' | 'wasm' | 'experimental';
  /**
   * The processor of a native artefact unless `--arch` names another; `this` is that of the machine that builds. Null if
   * the platform runs no native programs.
   */
  readonly architecture: Architecture | 'this' | null;
  /** Whether the platform gives every artefact a public address. */
  readonly exposed: boolean;
  readonly load: () => Promise<{ readonly target: BuildTarget }>;
}

/**
 * Every platform that `svc build` writes for. To add one, add an entry here, a folder beside this file, and a row to
 * `PLATFORMS` in `test/matrix/platforms.ts`.
 */
export const TARGETS = {
  node: {
    title: 'Node',
    python: 'native',
    architecture: 'this',
    exposed: false,
    load: () => import('./node/target.ts'),
  },
  'aws-lambda': {
    title: 'AWS Lambda',
    python: 'wasm',
    architecture: 'arm64',
    exposed: true,
    load: () => import('./aws-lambda/target.ts'),
  },
  'cloudflare-workers': {
    title: 'Cloudflare Workers',
    python: 'experimental',
    architecture: null,
    exposed: true,
    load: () => import('./cloudflare-workers/target.ts'),
  },
} as const satisfies { readonly [name: string]: TargetEntry };

/** The name of a platform, as `--target` takes it. */
export type TargetName = keyof typeof TARGETS;

/** The names in the order of the list. */
export const TARGET_NAMES: readonly TargetName[] = Object.keys(TARGETS).filter(isTargetName);

/** Whether a text names a platform. */
export function isTargetName(text: string): text is TargetName {
  return Object.hasOwn(TARGETS, text);
}

/** Whether an artefact of the platform can have Python endpoints. */
export function runsPython(build: {
  readonly target: TargetName;
  readonly experimentalPython?: boolean;
}): boolean {
  return build.experimentalPython === true || TARGETS[build.target].python !== 'experimental';
}

/** Joins names for a sentence, e.g. `node, aws-lambda or cloudflare-workers`. */
export function toChoice(names: readonly string[]): string {
  return names.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}
