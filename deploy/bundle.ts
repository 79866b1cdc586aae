import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { messageOf, SvcError } from '../src/errors.ts';
import { CONFIG_FILE, type Target } from './targets/target.ts';

/** Its modules for browsers: those for Node are CommonJS and call `require`, which a module has not. */
const YAML = join(dirname(createRequire(import.meta.url).resolve('yaml/package.json')), 'browser/index.js');

/** Modules of the artefact that stay beside the bundle. */
const BESIDE = ['*.wasm', './manifest.json', '@1password/sdk'];

const RUNTIMES = {
  node: { platform: 'node', target: 'node22' },
  workerd: {
    platform: 'browser',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
  },
} as const satisfies { readonly [runtime: string]: BuildOptions };

/** What goes into a bundle beside what every project needs. */
export interface Included {
  /** What loads settings: a quarter of the code. */
  readonly settings: boolean;
  /** The user file, which lies beside. */
  readonly config: boolean;
  /** The language of policy conditions: a third of the code. */
  readonly policies: boolean;
  /** The language of prompt templates. */
  readonly prompts: boolean;
  /** What makes audit records. */
  readonly audit: boolean;
  /** What signs people in and checks tokens. */
  readonly auth: boolean;
  /** What sends traces and metrics. */
  readonly telemetry: boolean;
  /** What runs Python endpoints. */
  readonly python?: boolean;
}

/** Modules that are loaded by the first call that needs them, and are left out where no call can. */
const BY_NEED = {
  policies: /\/policy\/(compile|enforce|when)\.[jt]s$/,
  prompts: /\/template\/prompt\.[jt]s$/,
  auth: /\/auth\/create\.[jt]s$|^\.\/(dynamodb|token-store)\.[jt]s$/,
  telemetry: /\/otel\/telemetry\.[jt]s$/,
  python: /\/python-pyodide\/choose\.[jt]s$/,
} as const;

/** One module, and what it is made of. */
export interface Bundled {
  readonly code: Uint8Array;
  /** Which files went into it, relative to `BUNDLED_FROM`, and what each imports. */
  readonly metafile: Metafile;
}

/** One entry of `adapters/` with everything it imports, as one minified module. */
export async function bundle(
  entry: string,
  runtime: Target['runtime'],
  included: Included,
): Promise<Bundled> {
  try {
    const { outputFiles, metafile } = await build({
      ...RUNTIMES[runtime],
      ...OPTIONS,
      entryPoints: [sourceFile(`adapters/${entry}`)],
      alias: { '@modelcontextprotocol/server/_shims': sourceFile('src/mcp/sdk-shims'), yaml: YAML },
      plugins: [chooseParts(included)],
    });
    return { code: outputFiles[0]?.contents ?? new Uint8Array(), metafile };
  } catch (cause) {
    const reason = messageOf(cause);
    throw new SvcError('internal', `adapters/${entry} cannot be bundled: ${reason}`, { cause });
  }
}

function chooseParts({ settings, config, audit, ...needed }: Included): Plugin {
  return {
    name: 'svc-parts',
    setup({ onResolve, onLoad }) {
      for (const part of ['policies', 'prompts', 'auth', 'telemetry', 'python'] as const) {
        if (!needed[part])
          onResolve({ filter: BY_NEED[part] }, () => ({ path: part, namespace: 'left-out' }));
      }
      onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
        contents: `throw new Error('${path} are not part of this artefact');`,
      }));
      onResolve({ filter: /\/start-settings\.[jt]s$/ }, () =>
        settings ? null : { path: sourceFile('adapters/artefact/no-settings') },
      );
      onResolve({ filter: /\/audit\/observe\.[jt]s$/ }, () =>
        audit ? null : { path: sourceFile('adapters/artefact/no-audit') },
      );
      onResolve({ filter: /^\.\/python\.[jt]s$|\/bundled-python\.[jt]s$/ }, () =>
        needed.python ? null : { path: sourceFile('adapters/artefact/no-python') },
      );
      onResolve({ filter: /^\.\/config\.yml$/ }, () =>
        config ? { path: `./${CONFIG_FILE}`, external: true } : { path: CONFIG_FILE, namespace: 'absent' },
      );
      onLoad({ filter: /./, namespace: 'absent' }, () => ({ contents: 'export default null;' }));
    },
  };
}

/** The folder that paths of a metafile begin in. */
export const BUNDLED_FROM = fileURLToPath(new URL('..', import.meta.url));

const OPTIONS = {
  absWorkingDir: BUNDLED_FROM,
  bundle: true,
  metafile: true,
  minify: true,
  format: 'esm',
  charset: 'utf8',
  legalComments: 'eof',
  external: BESIDE,
  // nothing of the machine it is built on
  tsconfigRaw: '{}',
  sourcemap: false,
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** A module as this package has it: compiled where it is installed, TypeScript in its own repository. */
export function sourceFile(module: string): string {
  const urls = ['js', 'ts'].map((end) => new URL(`../${module}.${end}`, import.meta.url));
  const found = urls.find((url) => existsSync(url));
  if (found === undefined) throw new SvcError('internal', `${module} is missing from this installation.`);
  return fileURLToPath(found);
}
