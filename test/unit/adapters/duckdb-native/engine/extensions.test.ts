import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { extensionOptions, loadExtensions } from '../../../../../adapters/duckdb-native/engine/extensions.ts';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import type { ExtensionSettings } from '../../../../../adapters/duckdb-native/options.ts';
import type { Extension } from '../../../../../src/project/extension.ts';
import { BUILT_IN } from '../../../../../src/project/extension.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { hasCompiler, makeRepository } from './extension-double.ts';

/** What is loaded in an engine that is set up as a database's is, but not locked yet: then nobody may look. */
async function loadedWith(extensions: readonly Extension[], over: Partial<ExtensionSettings> = {}) {
  const settings = { extensions, extensionDirectory: temporaryFolder(), ...over };
  const { openInstance } = await loadDriver();
  const instance = await openInstance(':memory:', extensionOptions(settings));
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  await loadExtensions(connection, settings);
  const found = await connection.runAndReadAll('SELECT extension_name FROM duckdb_extensions() WHERE loaded');
  return found.getRows().map(([name]) => name);
}

describe('extensions', () => {
  it('that the engine brings have no files', async () => {
    const { openInstance } = await loadDriver();
    const instance = await openInstance(':memory:');
    const connection = await instance.connect();
    const found = await connection.runAndReadAll(
      "SELECT extension_name FROM duckdb_extensions() WHERE install_path = '(BUILT-IN)'",
    );
    connection.closeSync();
    instance.closeSync();
    expect(found.getRows().map(([name]) => name)).toEqual([...BUILT_IN]);
  });

  it('that the engine brings are loaded', async () => {
    expect(await loadedWith([{ name: 'json' }, { name: 'icu', repo: 'core' }])).toEqual(
      expect.arrayContaining(['json', 'icu']),
    );
  });

  // Requirements: site.extensions.core
  it.runIf(hasCompiler())('are installed from a local repository, and loaded', async () => {
    const extensionRepository = await makeRepository('svc_double');
    const over = { extensionRepository, unsignedExtensions: true };
    expect(await loadedWith([{ name: 'svc_double' }], over)).toContain('svc_double');
  });

  // Requirements: site.extensions.core, site.extensions.repo
  it.each([
    [undefined, []],
    ['community', ['INSTALL "svc_none" FROM community']],
    ['core_nightly', ['INSTALL "svc_none" FROM core_nightly']],
    ['core', ['INSTALL "svc_none" FROM core']],
  ] as const)('that are missing are asked of the repository that is named, %s', async (repo, installs) => {
    const extension = { name: 'svc_none', ...(repo === undefined ? {} : { repo }) };
    const settings = { extensions: [extension], extensionDirectory: temporaryFolder() };
    const { openInstance } = await loadDriver();
    const instance = await openInstance(':memory:', extensionOptions(settings));
    const connection = await instance.connect();
    onTestFinished(() => {
      connection.closeSync();
      instance.closeSync();
    });
    const sent: string[] = [];
    const run = connection.run.bind(connection);
    vi.spyOn(connection, 'run').mockImplementation(async (sql) => {
      if (/^(LOAD|INSTALL)/.test(sql)) sent.push(sql);
      if (sql.startsWith('INSTALL')) throw new Error('This test has no network.');
      return run(sql);
    });
    await expect(loadExtensions(connection, settings)).rejects.toThrow(
      /The extension svc_none cannot be loaded/,
    );
    expect(sent).toEqual(['LOAD "svc_none"', ...installs]);
    const allowed = await connection.runAndReadAll("SELECT current_setting('allow_community_extensions')");
    expect(allowed.getRows()).toEqual([[repo === 'community']]);
  });

  it.runIf(hasCompiler())('that nobody signed are refused unless that is allowed', async () => {
    const extensionRepository = await makeRepository('svc_double');
    await expect(loadedWith([{ name: 'svc_double' }], { extensionRepository })).rejects.toThrow(
      /The extension svc_double cannot be loaded: .* has no valid signature of DuckDB/,
    );
  });

  it.runIf(hasCompiler())('are loaded when a database opens, before it is locked', async () => {
    const extensionRepository = await makeRepository('svc_double');
    const settings = { extensionRepository, unsignedExtensions: true, extensionDirectory: temporaryFolder() };
    const extensions = [{ name: 'svc_double' }, { name: 'json' }];
    const database = await openNative({ path: ':memory:', readonly: false, extensions, ...settings });
    onTestFinished(() => database.close());
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: 5_000 };
    const load = database.run({ sql: 'LOAD fts', mode: 'write', values: [], maxRows: 1 }, call);
    await expect(load).rejects.toThrow(/Name it under `extensions`/);
  });

  it('that are not there stop the start, with the name and what to do', async () => {
    const extensions = [{ name: 'lost' }];
    const settings = {
      extensions,
      extensionRepository: temporaryFolder(),
      extensionDirectory: temporaryFolder(),
    };
    const failed = openNative({ path: ':memory:', readonly: false, ...settings });
    await expect(failed).rejects.toMatchObject({
      code: 'database_unavailable',
      message: expect.stringMatching(
        /^The extension lost cannot be loaded: there is no file .*\n.*SVC_EXTENSION_REPOSITORY/,
      ),
    });
  });
});
