import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { BUNDLER_PART, loadPart } from '../adapters/optional-packages.ts';
import { messageOf, SvcError } from '../src/errors.ts';
import { type BuildTarget, CONFIG_FILE } from './targets/target.ts';

/**
 * The browser build of yaml. Its build for Node is CommonJS and calls `require`, which an ES module does not have.
 */
const YAML = join(dirname(createRequire(import.meta.url).resolve('yaml/package.json')), 'browser/index.js');

/** Modules of the artefact that stay beside the bundle. */
const BESIDE = ['*.wasm', './manifest.json', 'cloudflare:workers', '@1password/sdk'];

const RUNTIMES = {
  node: { platform: 'node', target: 'node22' },
  workerd: {
    platform: 'browser',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
  },
} as const satisfies { readonly [runtime: string]: BuildOptions };

/** The optional parts of a bundle. */
export interface Included {
  /** The code that loads settings: a quarter of all code. */
  readonly settings: boolean;
  /** The user file, which lies beside the bundle. */
  readonly config: boolean;
  /** The language of policy conditions and of table rules: a third of all code. */
  readonly policies: boolean;
  /** The language of prompt templates. */
  readonly prompts: boolean;
  /** The code that makes audit records. */
  readonly audit: boolean;
  /** The code that signs people in and checks tokens. */
  readonly auth: boolean;
  /** The code that sends traces and metrics. */
  readonly telemetry: boolean;
  /** The code that runs Python endpoints. */
  readonly python?: boolean;
  /** The native engine instead of the wasm engine. */
  readonly native?: boolean;
  /** A database that is read by ranges instead of one beside the bundle. */
  readonly remote?: boolean;
}

/** Modules that load with the first call that needs them. They are left out if no call can need them. */
const BY_NEED = {
  policies:
    /\/policy\/(compile|enforce|when|tables\/restrict)\.[jt]s$|\/restricted\/relations\.[jt]s$|\/result-fields\.[jt]s$/,
  prompts: /\/template\/render\.[jt]s$/,
  auth: /\/auth\/create\.[jt]s$|^\.\/(dynamodb|token-store)\.[jt]s$/,
  telemetry: /\/otel\/telemetry\.[jt]s$/,
  python: /\/python-pyodide\/open\.[jt]s$/,
} as const;

/** A bundled module and its parts. */
export interface Bundled {
  readonly code: Uint8Array;
  /** The files in it, relative to `BUNDLED_FROM`, and the imports of each. */
  readonly metafile: Metafile;
}

/** The programs of an artefact, by the path of their file. */
export type Bundles = ReadonlyMap<string, Bundled>;

/** Bundles one entry of `adapters/` with its imports as one minified module. */
export async function bundle(
  entry: string,
  runtime: BuildTarget['runtime'],
  included: Included,
): Promise<Bundled> {
  const { build } = await loadBundler();
  try {
    const { outputFiles, metafile } = await build({
      ...RUNTIMES[runtime],
      ...OPTIONS,
      ...(included.native ? { banner: { js: REQUIRE } } : {}),
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

/** Loads esbuild. Throws `target_unsupported` if it is not installed. */
export function loadBundler(): Promise<typeof import('esbuild')> {
  return loadPart(BUNDLER_PART, () => import('esbuild'));
}

function chooseParts({
  settings,
  config,
  audit,
  native = false,
  remote = false,
  ...needed
}: Included): Plugin {
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
      onResolve({ filter: /\/bundled-database\.[jt]s$/ }, () =>
        native || remote
          ? { path: sourceFile(`adapters/node/${native ? 'native' : 'remote'}-database`) }
          : null,
      );
      onResolve({ filter: /^\.\/database\.[jt]s$/ }, ({ importer }) =>
        remote && /\/cloudflare-workers\/entry\.[jt]s$/.test(importer)
          ? { path: sourceFile('adapters/cloudflare-workers/remote-database') }
          : null,
      );
      // The package of the bindings chooses a file for the machine; an artefact has one file.
      onResolve({ filter: /^@duckdb\/node-bindings$/ }, () => ({ path: 'bindings', namespace: 'native' }));
      onLoad({ filter: /./, namespace: 'native' }, () => ({ contents: BINDINGS }));
      onResolve({ filter: /^\.\/config\.yml$/ }, () =>
        config ? { path: `./${CONFIG_FILE}`, external: true } : { path: CONFIG_FILE, namespace: 'absent' },
      );
      onLoad({ filter: /./, namespace: 'absent' }, () => ({ contents: 'export default null;' }));
    },
  };
}

/** The native driver is CommonJS and requires modules of Node. */
const REQUIRE =
  "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);";

const BINDINGS = `import { createRequire } from 'node:module';
export default createRequire(import.meta.url)('./native/duckdb.node');`;

/** The folder that the paths of a metafile are relative to. */
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
  // the bundle must not depend on the machine that builds it
  tsconfigRaw: '{}',
  sourcemap: false,
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** The path of a module of this package: JavaScript if the package is installed, TypeScript in a checkout. */
export function sourceFile(module: string): string {
  const urls = ['js', 'ts'].map((end) => new URL(`../${module}.${end}`, import.meta.url));
  const found = urls.find((url) => existsSync(url));
  if (found === undefined) throw new SvcError('internal', `${module} is missing from this installation.`);
  return fileURLToPath(found);
}
