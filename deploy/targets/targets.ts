import type { Architecture } from '../native/architecture.ts';
import type { BuildTarget } from './target.ts';

/** The engine of an artefact, as `--engine` takes it. */
export type EngineName = 'wasm' | 'native';

/** A platform in brief. Its code is loaded only when it is asked for, because `svc --help` reads this list. */
export interface TargetEntry {
  /** The platform's name for people, e.g. `AWS Lambda`. */
  readonly title: string;
  /**
   * How the platform runs Python endpoints. `native`: with its own `python3`, or in WebAssembly if it has none.
   * `wasm`: always in WebAssembly. `experimental`: only if built with `--experimental-python`. `none`: not at all.
   */
  readonly python: 'native' | 'wasm' | 'experimental' | 'none';
  /**
   * The processor of a native artefact unless `--arch` names another; `this` is that of the machine that builds. Null if
   * `svc build` makes none for the platform.
   */
  readonly architecture: Architecture | 'this' | null;
  /**
   * The callers of an artefact without sign-in. `public`: everybody, because the platform gives it a public address.
   * `machine`: programs of its machine, unless it is told to listen further. `holder`: each person who has the artefact,
   * who can read its whole database too.
   */
  readonly callers: 'public' | 'machine' | 'holder';
  /** The files that `file://` references can name: those with an absolute path, or none. Default: all. */
  readonly referencedFiles?: 'absolute' | 'none';
  readonly load: () => Promise<{ readonly target: BuildTarget }>;
}

/** Every platform that `svc build` writes for. `docs/how-to/write-an-adapter.md` says how to add one. */
export const TARGETS = {
  node: {
    title: 'Node',
    python: 'native',
    architecture: 'this',
    callers: 'machine',
    load: () => import('./node/target.ts'),
  },
  'aws-lambda': {
    title: 'AWS Lambda',
    python: 'wasm',
    architecture: 'arm64',
    callers: 'public',
    referencedFiles: 'absolute',
    load: () => import('./aws-lambda/target.ts'),
  },
  'cloudflare-workers': {
    title: 'Cloudflare Workers',
    python: 'experimental',
    architecture: null,
    callers: 'public',
    referencedFiles: 'none',
    load: () => import('./cloudflare-workers/target.ts'),
  },
  vercel: {
    title: 'Vercel',
    python: 'wasm',
    architecture: null,
    callers: 'public',
    load: () => import('./vercel/target.ts'),
  },
  deno: {
    title: 'Deno',
    python: 'none',
    architecture: null,
    callers: 'public',
    load: () => import('./deno/target.ts'),
  },
  mcpb: {
    title: 'desktop clients',
    python: 'native',
    architecture: null,
    callers: 'holder',
    load: () => import('./mcpb/target.ts'),
  },
} as const satisfies { readonly [name: string]: TargetEntry };

/** The name of a platform, as `--target` takes it. */
export type TargetName = keyof typeof TARGETS;

/** The names in the order of the list. */
export const TARGET_NAMES: readonly TargetName[] = Object.keys(TARGETS).filter(isTargetName);

/** A value of `--target`: a platform that `svc build` writes for, or an engine without a platform. */
export type TargetChoice = TargetName | 'wasm' | 'native';

export const TARGET_CHOICES: readonly TargetChoice[] = ['wasm', 'native', ...TARGET_NAMES];

/** Whether a text names a platform. */
export function isTargetName(text: string): text is TargetName {
  return Object.hasOwn(TARGETS, text);
}

/** Whether an artefact of the platform can have Python endpoints. */
export function runsPython(build: {
  readonly target: TargetName;
  readonly experimentalPython?: boolean;
}): boolean {
  const { python }: TargetEntry = TARGETS[build.target];
  return python === 'experimental' ? build.experimentalPython === true : python !== 'none';
}

/** Joins names for a sentence, e.g. `node, aws-lambda or cloudflare-workers`. */
export function toChoice(names: readonly string[]): string {
  return names.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}
