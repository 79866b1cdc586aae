import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { SvcError } from '../src/errors.ts';
import type { Target } from './target.ts';

/** Modules of the artefact that stay beside the bundle. */
const BESIDE = ['*.wasm', './manifest.json'];

const RUNTIMES = {
  node: { platform: 'node', target: 'node22' },
  workerd: {
    platform: 'browser',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
  },
} as const satisfies { readonly [runtime: string]: BuildOptions };

/** One entry of `adapters/` with everything it imports, as one minified module. */
export async function bundle(entry: string, runtime: Target['runtime']): Promise<Uint8Array> {
  try {
    const { outputFiles } = await build({
      ...RUNTIMES[runtime],
      ...OPTIONS,
      entryPoints: [sourceFile(`adapters/${entry}`)],
      alias: { '@modelcontextprotocol/server/_shims': sourceFile('src/mcp/sdk-shims') },
    });
    return outputFiles[0]?.contents ?? new Uint8Array();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SvcError('internal', `adapters/${entry} cannot be bundled: ${reason}`, { cause });
  }
}

const OPTIONS = {
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  bundle: true,
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
function sourceFile(module: string): string {
  const urls = ['js', 'ts'].map((end) => new URL(`../${module}.${end}`, import.meta.url));
  const found = urls.find((url) => existsSync(url));
  if (found === undefined) throw new SvcError('internal', `${module} is missing from this installation.`);
  return fileURLToPath(found);
}
