import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import { openNative } from '../duckdb-native/open.ts';
import type { NativeOptions } from '../duckdb-native/options.ts';
import { openForCallers, openProcess } from '../duckdb-native/process/open.ts';
import type { BundledDatabaseOptions } from './bundled-database.ts';
import { lambdaShareOf, memoryLimitOf } from './database/memory-limit.ts';

// The native engine gives each long query a thread of Node's pool, which takes its size once, when it is first used.
process.env.UV_THREADPOOL_SIZE ??= '72';

/** Opens the database of an artefact with the native engine, which loads only the extensions of the artefact. */
export async function openBundledDatabase(options: BundledDatabaseOptions): Promise<Database> {
  const { manifest, pathOf, settings } = options;
  const { native, database } = manifest;
  if (native === undefined) throw new SvcError('config_invalid', 'manifest.json names no native engine.');
  refuseOtherMachine(native.arch);
  const { memoryMb = lambdaShareOf(process.env) } = memoryLimitOf(process.env, manifest.memoryMb);
  const { extensions, ...opening } = native;
  const { isolated } = native;
  const choice: NativeOptions = {
    readonly: opening.readonly,
    external: opening.external,
    attach: opening.attach,
    use: opening.use,
    path: database.name === MEMORY_PATH ? MEMORY_PATH : join(pathOf('database'), database.name),
    createIfMissing: false,
    root: pathOf('.'),
    extensions,
    extensionDirectory: pathOf('extensions'),
    secrets: settings?.secrets ?? [],
    ...(memoryMb === undefined ? {} : { memoryMb }),
  };
  if (isolated === undefined) return openNative(choice);
  return isolated === 'all' ? openProcess(choice, options.log) : openForCallers(choice, options.log);
}

/** The names of processors in Node. */
const PROCESSORS = { x86_64: 'x64', arm64: 'arm64' } as const;

function refuseOtherMachine(arch: keyof typeof PROCESSORS): void {
  const { platform, arch: processor } = process;
  if (platform === 'linux' && processor === PROCESSORS[arch]) return;
  throw new SvcError(
    'target_unsupported',
    `This artefact runs on Linux on ${arch}, and this is ${platform} on ${processor}. Run it there, or build it again with --arch.`,
  );
}
