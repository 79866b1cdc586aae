import { describe, expect, it } from 'vitest';
import { chooseDatabase } from '../../../../../adapters/node/database/database-choice.ts';

const ROOT = '/project';
const READ_WRITE = { database: { path: 'data/a.db', readonly: false, engine: 'auto' } } as const;
const READ_ONLY = { database: { ...READ_WRITE.database, readonly: true } } as const;

describe('chooseDatabase', () => {
  it.each([
    ['~/a.db', {}, '/h/a.db'],
    ['data/a.db', { SVC_DATABASE_PATH: '~/b.db' }, '/h/b.db'],
    ['~a.db', {}, '/project/~a.db'],
  ])("takes `~/` for the user's folder: %s", (path, env, chosen) => {
    const site = { database: { ...READ_ONLY.database, path } };
    expect(chooseDatabase(ROOT, site, { HOME: '/h', ...env }).path).toBe(chosen);
  });

  it.each([
    ['read-write', READ_WRITE, {}, false, { readonly: false, engine: 'native' }],
    ['read-only', READ_ONLY, {}, false, { readonly: true, engine: 'wasm' }],
    ['stateless', READ_WRITE, {}, true, { readonly: true, engine: 'wasm', createsEmpty: true }],
    [
      'SVC_READONLY over the file',
      READ_WRITE,
      { SVC_READONLY: 'yes' },
      false,
      { readonly: true, engine: 'wasm' },
    ],
    [
      'SVC_READONLY=0 over the file',
      READ_ONLY,
      { SVC_READONLY: '0' },
      false,
      { readonly: false, engine: 'native' },
    ],
    [
      'native by choice',
      READ_ONLY,
      { SVC_DATABASE_ENGINE: 'native' },
      false,
      { readonly: true, engine: 'native' },
    ],
    [
      'native, stateless',
      READ_WRITE,
      { SVC_DATABASE_ENGINE: 'native' },
      true,
      { readonly: false, engine: 'native' },
    ],
    [
      'empty variables',
      READ_WRITE,
      { SVC_READONLY: '', SVC_DATABASE_ENGINE: '', SVC_DATABASE_PATH: '' },
      false,
      { readonly: false, engine: 'native' },
    ],
  ])('%s', (_what, site, env, stateless, expected) => {
    const choice = chooseDatabase(ROOT, site, env, { stateless });
    expect(choice).toEqual({ path: '/project/data/a.db', ...expected });
  });

  it.each([
    ['auto', true, 'native', 'callers'],
    ['auto', false, 'native', undefined],
    ['process', false, 'native', 'all'],
    ['none', true, 'native', undefined],
    ['process', true, 'wasm', undefined],
  ] as const)('isolation %s, with SQL tools: %s, on %s', (isolation, enabled, engine, isolated) => {
    const site = { database: { ...READ_ONLY.database, engine, isolation }, sqlTools: { enabled } };
    expect(chooseDatabase(ROOT, site, {}, { serves: true }).isolated).toBe(isolated);
    expect(chooseDatabase(ROOT, site, {}).isolated).toBeUndefined();
  });

  // Requirements: env.SVC_DATABASE_PATH
  it('takes SVC_DATABASE_PATH from the project, or as it is when absolute', () => {
    const pathOf = (path: string) => chooseDatabase(ROOT, READ_WRITE, { SVC_DATABASE_PATH: path }).path;
    expect(pathOf('other.db')).toBe('/project/other.db');
    expect(pathOf('/srv/x.db')).toBe('/srv/x.db');
  });

  it('attaches a path that is an address, and unqualified names mean it', () => {
    const remote = { ...READ_WRITE.database, path: 's3://bucket/some/sales.v2.duckdb' };
    const own = { name: 'sales', uri: remote.path, own: true };
    const choice = chooseDatabase(ROOT, { database: remote, extensions: [{ name: 'httpfs' }] }, {});
    expect(choice).toMatchObject({
      path: ':memory:',
      readonly: true,
      engine: 'native',
      attach: [own],
      use: 'sales',
    });
    const lake = { name: 'lake', uri: 'postgres:', readonly: false };
    const both = chooseDatabase(ROOT, { database: { ...remote, attach: [lake], use: 'lake' } }, {});
    expect(both).toMatchObject({ readonly: false, attach: [own, lake], use: 'lake' });
    const overridden = chooseDatabase(ROOT, READ_WRITE, { SVC_DATABASE_PATH: 'https://h/main.db?v=1' });
    expect(overridden.use).toBe('main_db');
  });

  it('opens the outside for extensions that are there for it, unless it is a sandbox', () => {
    const externalOf = (names: readonly string[], sandbox: boolean, env = {}) =>
      chooseDatabase(
        ROOT,
        { database: { ...READ_WRITE.database, sandbox }, extensions: names.map((name) => ({ name })) },
        env,
      ).external ?? false;
    expect(externalOf([], false)).toBe(false);
    expect(externalOf(['json', 'ICU', 'fts'], false)).toBe(false);
    expect(externalOf(['json', 'httpfs'], false)).toBe(true);
    expect(externalOf(['spatial'], false)).toBe(true);
    expect(externalOf(['httpfs'], true)).toBe(false);
    expect(externalOf(['httpfs'], false, { SVC_DATABASE_SANDBOX: 'true' })).toBe(false);
    expect(externalOf(['httpfs'], true, { SVC_DATABASE_SANDBOX: '0' })).toBe(true);
  });

  it('limits memory as the site says, or the environment', () => {
    const memoryOf = (memoryLimit: string | null, env = {}) =>
      chooseDatabase(ROOT, { database: { ...READ_WRITE.database, memoryLimit } }, env).memoryMb;
    expect(memoryOf(null)).toBeUndefined();
    expect(memoryOf('1GB')).toBe(1024);
    expect(memoryOf('1GB', { SVC_DATABASE_MEMORY_LIMIT: '256' })).toBe(256);
    expect(memoryOf(null, { SVC_DATABASE_MEMORY_LIMIT: '64MB' })).toBe(64);
    expect(() => memoryOf(null, { SVC_DATABASE_MEMORY_LIMIT: 'lots' })).toThrow(/SVC_DATABASE_MEMORY_LIMIT/);
  });
});
