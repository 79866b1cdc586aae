import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listExtensionFiles } from '../../adapters/duckdb-native/engine/extension-files.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { ExtensionSettings } from '../../adapters/duckdb-native/options.ts';
import type { SvcError } from '../../src/errors.ts';
import { answerOf, errorOf } from '../engine/fixture.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { svc } from '../unit/cli/svc.ts';
import { EXTENSIONS, MISFITS } from './parts.ts';

/* Extensions from folders and addresses, with the files that DuckDB signed. */

const TARGET = { version: 'v1.5.5', platform: 'linux_amd64' };
const SIGNED = join(EXTENSIONS, TARGET.version, TARGET.platform);
const FTS = 'fts.duckdb_extension';

/** A folder with one file of the extension fts. */
function folderWith(path: string): string {
  const made = temporaryFolder();
  copyFileSync(path, join(made, FTS));
  return made;
}

async function open(settings: ExtensionSettings) {
  const database = await openNative({
    path: ':memory:',
    readonly: false,
    extensionDirectory: temporaryFolder(),
    ...settings,
  });
  onTestFinished(() => database.close());
  return database;
}

function refused(settings: ExtensionSettings): Promise<SvcError> {
  return errorOf(open(settings));
}

describe('a signed extension', () => {
  it.each([
    ["a folder in DuckDB's layout", EXTENSIONS],
    ['a folder of files', SIGNED],
  ])('loads from %s', async (_, repo) => {
    const database = await open({ extensions: [{ name: 'fts', repo }] });
    expect(await answerOf(database, "stem('running', 'english')")).toBe('run');
  });

  it("loads from a copy of DuckDB's repository, whose files are compressed", async () => {
    const repo = temporaryFolder();
    const inside = join(repo, TARGET.version, TARGET.platform);
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `${FTS}.gz`), gzipSync(readFileSync(join(SIGNED, FTS)), { level: 1 }));
    const database = await open({ extensions: [{ name: 'fts', repo }] });
    expect(await answerOf(database, "stem('running', 'english')")).toBe('run');
  });

  it('loads by its short name', async () => {
    await open({ extensions: [{ name: 'postgres' }, { name: 'sqlite' }], extensionRepository: EXTENSIONS });
  });

  it('loads after the extension that it needs', async () => {
    await open({ extensions: [{ name: 'iceberg' }, { name: 'avro' }], extensionRepository: SIGNED });
    await open({ extensions: [{ name: 'iceberg', repo: SIGNED }] });
  });

  it('is refused without the extension that it needs, by its name', async () => {
    const repo = temporaryFolder();
    copyFileSync(join(SIGNED, 'iceberg.duckdb_extension'), join(repo, 'iceberg.duckdb_extension'));
    const { message } = await refused({ extensions: [{ name: 'iceberg', repo }] });
    expect(message).toMatch(/^The extension avro, which iceberg needs, cannot be loaded: there is no file/);
    expect(message).toContain('pip download --no-deps duckdb-extension-avro==1.5.5');
  });

  it('is downloaded from an address that is given', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(gzipSync(readFileSync(join(SIGNED, FTS)), { level: 1 }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const repo = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ours`;
    const database = await open({ extensions: [{ name: 'fts', repo }] });
    expect(await answerOf(database, "stem('running', 'english')")).toBe('run');
    expect(asked).toEqual([`/ours/v1.5.5/linux_amd64/${FTS}.gz`]);
  });

  it('is not looked for on the network unless a repository is given', async () => {
    const { code, message } = await refused({ extensions: [{ name: 'fts' }] });
    expect(code).toBe('database_unavailable');
    expect(message).toMatch(
      /^The extension fts cannot be loaded: there is no file .*fts\.duckdb_extension\.\n/,
    );
    expect(message).toContain('for DuckDB v1.5.5 on linux_amd64');
    expect(message).toContain('pip download --no-deps duckdb-extension-fts==1.5.5');
  });

  it('names the address that does not answer', async () => {
    const { message } = await refused({ extensions: [{ name: 'fts', repo: 'http://127.0.0.1:1/none' }] });
    expect(message).toMatch(
      /http:\/\/127\.0\.0\.1:1\/none\/v1\.5\.5\/linux_amd64\/fts\S* does not answer with it/,
    );
  });
});

describe('an extension that does not fit is refused with the reason', () => {
  const changed = (): string => {
    const bytes = readFileSync(join(SIGNED, FTS));
    bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
    const made = temporaryFolder();
    writeFileSync(join(made, FTS), bytes);
    return made;
  };

  it.each([
    ['of another version', () => folderWith(MISFITS.old), /is made for DuckDB v1\.4\.4, not for v1\.5\.5/],
    ['of another platform', () => folderWith(MISFITS.arm), /is made for linux_arm64, not for linux_amd64/],
    ['changed after it was signed', changed, /has no valid signature of DuckDB/],
  ])('%s', async (_, make, reason) => {
    const repo = make();
    const { message } = await refused({ extensions: [{ name: 'fts', repo }] });
    expect(message).toMatch(/^The extension fts cannot be loaded: /);
    expect(message).toContain(join(repo, FTS));
    expect(message).toMatch(reason);
    expect(message).toContain('pip download --no-deps duckdb-extension-fts==1.5.5');
  });
});

describe('the files that a project needs', () => {
  it('are listed in the order in which they load, without built-in ones', async () => {
    const names = ['iceberg', 'json', 'postgres', 'httpfs'];
    const settings = { extensions: names.map((name) => ({ name })), extensionRepository: EXTENSIONS };
    expect(await listExtensionFiles(settings, TARGET)).toEqual([
      { name: 'httpfs', path: join(SIGNED, 'httpfs.duckdb_extension') },
      { name: 'avro', path: join(SIGNED, 'avro.duckdb_extension') },
      { name: 'iceberg', path: join(SIGNED, 'iceberg.duckdb_extension') },
      { name: 'postgres', path: join(SIGNED, 'postgres_scanner.duckdb_extension') },
    ]);
  });

  it('are found among the installed ones', async () => {
    const settings = { extensions: [{ name: 'fts' }], extensionDirectory: EXTENSIONS };
    expect(await listExtensionFiles(settings, TARGET)).toEqual([{ name: 'fts', path: join(SIGNED, FTS) }]);
  });

  it('fit a platform other than that of this machine', async () => {
    const repo = folderWith(MISFITS.arm);
    const settings = { extensions: [{ name: 'fts', repo }] };
    const arm = { ...TARGET, platform: 'linux_arm64' };
    expect(await listExtensionFiles(settings, arm)).toEqual([{ name: 'fts', path: join(repo, FTS) }]);
    await expect(listExtensionFiles(settings, TARGET)).rejects.toThrow(
      /is made for linux_arm64, not for linux_amd64/,
    );
  });

  it('are refused if they are of another version, are no extension, or are missing', async () => {
    const old = { extensions: [{ name: 'fts', repo: folderWith(MISFITS.old) }] };
    await expect(listExtensionFiles(old, TARGET)).rejects.toThrow(/is made for DuckDB v1\.4\.4/);
    const broken = temporaryFolder();
    writeFileSync(join(broken, FTS), 'no extension');
    const none = { extensions: [{ name: 'fts', repo: broken }] };
    await expect(listExtensionFiles(none, TARGET)).rejects.toThrow(/is not an extension of DuckDB/);
    const missing = { extensions: [{ name: 'azure' }], extensionDirectory: temporaryFolder() };
    await expect(listExtensionFiles(missing, TARGET)).rejects.toThrow(
      /^The extension azure cannot be loaded: there is no file/,
    );
  });
});

describe('a project names its folder', () => {
  const SITE = 'svc: 1\nproject: shop\nprofile: default\n';
  const TOOL = `svc: 1
tool: { name: stem, description: Stem., source: { code: "SELECT stem('running', 'english') AS stem" } }
`;
  function project(site: string): string {
    const root = temporaryFolder();
    mkdirSync(join(root, 'tools'));
    mkdirSync(join(root, 'extensions'));
    copyFileSync(join(SIGNED, FTS), join(root, 'extensions', FTS));
    writeFileSync(join(root, 'tools/stem.yml'), TOOL);
    writeFileSync(join(root, 'svc-site.yml'), SITE + site);
    return root;
  }
  const away = () => ({ SVC_EXTENSION_DIRECTORY: temporaryFolder() });

  it('and run, validate and doctor load from there', async () => {
    const root = project('extensions: [{ name: fts, repo: ./extensions }]\n');
    const ran = await svc(['run', 'tool', 'stem', '--json'], root, away());
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('"run"') });
    expect(await svc(['validate'], root, away())).toMatchObject({ code: 0 });
    const { stdout } = await svc(['doctor'], root, away());
    expect(stdout).toMatch(/extensions\s+fts: loaded by the native engine/);
  });

  it('and doctor and validate tell what is missing, with the file and the package', async () => {
    const root = project('extensions: [fts, iceberg]\n');
    const validated = await svc(['validate', '--json'], root, away());
    expect(validated.code).toBe(1);
    const document: { readonly findings: readonly unknown[] } = JSON.parse(validated.stdout);
    expect(document.findings).toEqual([
      expect.objectContaining({
        code: 'extension-unavailable',
        message: expect.stringContaining('fts cannot be loaded: there is no file'),
        fix: expect.stringContaining('duckdb-extension-fts==1.5.5'),
      }),
      expect.objectContaining({
        code: 'extension-unavailable',
        message: expect.stringContaining('The extension avro, which iceberg needs, cannot be loaded'),
        fix: expect.stringContaining('duckdb-extension-avro==1.5.5'),
      }),
    ]);
    const { stdout } = await svc(['doctor'], root, away());
    expect(stdout).toMatch(/fts cannot be loaded: there is no file/);
    expect(stdout).toMatch(/avro, which iceberg needs, cannot be loaded/);
  });
});
