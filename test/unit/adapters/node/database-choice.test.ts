import { describe, expect, it } from 'vitest';
import { chooseDatabase } from '../../../../adapters/node/database-choice.ts';

const ROOT = '/project';
const READ_WRITE = { database: { path: 'data/a.db', readonly: false, engine: 'auto' } } as const;
const READ_ONLY = { database: { ...READ_WRITE.database, readonly: true } } as const;

describe('chooseDatabase', () => {
  it.each([
    ['read-write', READ_WRITE, {}, false, { readonly: false, engine: 'native' }],
    ['read-only', READ_ONLY, {}, false, { readonly: true, engine: 'wasm' }],
    ['stateless', READ_WRITE, {}, true, { readonly: true, engine: 'wasm' }],
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

  it('takes SVC_DATABASE_PATH from the project, or as it is when absolute', () => {
    const pathOf = (path: string) => chooseDatabase(ROOT, READ_WRITE, { SVC_DATABASE_PATH: path }).path;
    expect(pathOf('other.db')).toBe('/project/other.db');
    expect(pathOf('/srv/x.db')).toBe('/srv/x.db');
  });
});
