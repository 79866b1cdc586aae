import { describe, expect, it } from 'vitest';
import {
  extensionsOfAttachment,
  holdsCredential,
  parseAttachmentUri,
} from '../../../src/project/attachment.ts';
import { load, SITE, short } from './memory.ts';

const profile = (database: string, more = '') =>
  `${SITE}${more}profiles:\n  default:\n    database: ${database}\n`;
const problems = async (database: string, more = '') =>
  (await load({ 'svc-site.yml': profile(database, more) })).findings.map(short);

describe('the address of an attached database', () => {
  it.each([
    ['other.duckdb', 'duckdb', null, 'other.duckdb'],
    ['s3://b/x.duckdb', 'duckdb', null, null],
    ['https://h/x.duckdb', 'duckdb', null, null],
    ['sqlite:a.db', 'sqlite', null, 'a.db'],
    ['a.sqlite3', 'sqlite', null, 'a.sqlite3'],
    ['postgres:dbname=x', 'postgres', 'postgres', null],
    ['postgresql://h/x', 'postgres', 'postgres', null],
    ['ducklake:postgres:dbname=x', 'ducklake', 'postgres', null],
    ['ducklake:meta.ducklake', 'ducklake', null, 'meta.ducklake'],
    ['ducklake:sqlite:meta.sqlite', 'ducklake', null, 'meta.sqlite'],
  ])('%s', (uri, type, server, file) => {
    expect(parseAttachmentUri(uri)).toMatchObject({ type, server, file });
  });

  it('says which extensions it needs', () => {
    const needed = (uri: string, data_path?: string) =>
      extensionsOfAttachment({ name: 'a', uri, ...(data_path ? { data_path } : {}) }).map(([name]) => name);
    expect(needed('a.duckdb')).toEqual([]);
    expect(needed('https://h/a.duckdb')).toEqual(['httpfs']);
    expect(needed('postgresql://h/x')).toEqual(['postgres']);
    expect(needed('ducklake:postgres:', 's3://b/l/')).toEqual(['ducklake', 'postgres', 'httpfs']);
    expect(needed('ducklake:sqlite:m.sqlite', 'az://b/l')).toEqual(['ducklake', 'sqlite', 'azure']);
  });

  it('holds no credential', () => {
    expect(holdsCredential('postgres:host=h user=u password=x')).toBe(true);
    expect(holdsCredential('postgresql://u:x@h/d')).toBe(true);
    expect(holdsCredential('md:d?motherduck_token=x')).toBe(true);
    expect(holdsCredential('https://h/x.duckdb?X-Amz-Signature=x')).toBe(true);
    expect(holdsCredential('postgresql://u@h/d')).toBe(false);
    expect(holdsCredential('postgres:host=h user=u dbname=tokens')).toBe(false);
  });
});

describe('database.attach', () => {
  it('is kept as written, with `use`', async () => {
    const database =
      '{ path: ":memory:", attach: [{ name: lake, uri: l.duckdb, required: false }], use: lake }';
    const { site, findings } = await load({ 'svc-site.yml': profile(database, 'extensions: [ducklake]\n') });
    expect(findings).toEqual([]);
    expect(site?.database).toMatchObject({
      path: ':memory:',
      attach: [{ name: 'lake', uri: 'l.duckdb', required: false }],
      use: 'lake',
    });
  });

  it.each([
    ['{ path: ":memory:" }', 'wrong-value'],
    ['{ path: ":memory:", attach: [{ name: a, uri: a.duckdb }] }', 'wrong-value'],
    ['{ attach: [{ name: lake, uri: a.duckdb }], use: lak }', 'Did you mean lake'],
    ['{ attach: [{ name: a, uri: a.duckdb }, { name: A, uri: b.duckdb }] }', 'another attached database'],
    ['{ attach: [{ name: temp, uri: a.duckdb }] }', "DuckDB's own"],
    ["{ attach: [{ name: 'a b', uri: a.duckdb }] }", 'a name of letters'],
    ['{ engine: wasm, attach: [{ name: a, uri: a.duckdb }] }', 'attaches no databases'],
    ['{ readonly: true, attach: [{ name: a, uri: a.duckdb, readonly: false }] }', 'applies to all databases'],
    [
      '{ path: ":memory:", readonly: true, attach: [{ name: a, uri: a.duckdb, readonly: false }], use: a }',
      'Remove `readonly: true` of the database',
    ],
    ['{ attach: [{ name: a, uri: "sqlite:a.db" }] }', 'extension-missing'],
    ['{ attach: [{ name: a, uri: "postgres:password=planted" }] }', 'literal-secret'],
    ['{ attach: [{ name: a, type: sqlite, uri: a.duckdb }] }', 'The `uri` says it'],
  ])('%s is refused', async (database, text) => {
    const found = await load({ 'svc-site.yml': profile(database) });
    expect(JSON.stringify(found.findings)).toContain(text);
    expect(JSON.stringify(found.findings)).not.toContain('planted');
  });

  it('cannot be found later where the engine opens no files after its start', async () => {
    const attach = 'attach: [{ name: a, uri: a.duckdb, required: false }]';
    const refused = [expect.stringMatching(/wrong-value.*could not open the file later/)];
    expect(await problems(`{ ${attach} }`)).toEqual(refused);
    expect(await problems(`{ ${attach} }`, 'extensions: [json, icu]\n')).toEqual(refused);
    expect(await problems(`{ sandbox: true, ${attach} }`, 'extensions: [spatial]\n')).toEqual(refused);
    expect(await problems(`{ ${attach} }`, 'extensions: [httpfs]\n')).toEqual([]);
    expect(await problems(`{ ${attach.replace('false', 'true')} }`)).toEqual([]);
  });

  it('needs an extension that the profile or the project loads', async () => {
    const attach = 'database: { attach: [{ name: a, uri: "sqlite:a.db" }] }';
    const found = (more: string) =>
      load({ 'svc-site.yml': `${SITE}profiles: { default: { ${attach} }, ${more} }\n` });
    const own = await load({
      'svc-site.yml': `${SITE}profiles: { default: { extensions: [sqlite], ${attach} } }\n`,
    });
    expect(own.findings).toEqual([]);
    expect((await found('other: { extensions: [sqlite] }')).findings).toEqual([
      expect.objectContaining({ code: 'extension-missing' }),
    ]);
  });

  it('is closed by a sandbox', async () => {
    const database = '{ sandbox: true, attach: [{ name: a, uri: "sqlite:a.db" }] }';
    expect(await problems(database, 'extensions: [sqlite]\n')).toEqual([
      expect.stringContaining('sandbox-conflict'),
    ]);
  });
});

describe('database.path', () => {
  const EXTENSIONS = 'extensions: [httpfs]\n';

  it('may be an address, which is read', async () => {
    expect(await problems('{ path: "s3://b/x.duckdb" }', EXTENSIONS)).toEqual([]);
    expect(await problems('{ path: "https://h/x.duckdb", readonly: true }', EXTENSIONS)).toEqual([]);
  });

  it.each([
    ['{ path: "s3://b/x.duckdb" }', '', 'needs the extension httpfs'],
    ['{ path: "https://u:planted@h/x.duckdb" }', EXTENSIONS, 'literal-secret'],
    ['{ path: "s3://b/x.duckdb", readonly: false }', EXTENSIONS, 'a remote file is only read'],
    ['{ path: "s3://b/x.duckdb", engine: wasm }', EXTENSIONS, 'reads no remote file'],
    ['{ path: "s3://b/x.duckdb", sandbox: true }', EXTENSIONS, 'sandbox-conflict'],
    ['{ path: "s3://b/x.duckdb", attach: [{ name: X, uri: a.db }] }', EXTENSIONS, 'name of the attached'],
  ])('%s is refused', async (database, more, text) => {
    const found = await load({ 'svc-site.yml': profile(database, more) });
    expect(JSON.stringify(found.findings)).toContain(text);
    expect(JSON.stringify(found.findings)).not.toContain('planted');
  });
});
