import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { mergeFile, mergeInto, type Wanted } from '../../../../cli/dbt/yaml-merge.ts';
import { folder } from '../svc.ts';

const TEXT = `# ours, since 2024
shop_default:
  target: default
  outputs:
    # the usual one
    default:
      type: duckdb
      path: data/old.db # moved soon
      threads: 8
      extensions:
        - httpfs # for the lake
        - { name: gsheets, repo: community }
      secrets:
        - { type: s3, name: own, key_id: k }
        - { type: s3, name: gone, key_id: "{{ env_var('DBT_ENV_SECRET_GONE_KEY_ID') }}" }
`;

const OUTPUT = ['shop_default', 'outputs', 'default'];
const set = (path: readonly string[], value: Wanted['value'], how: Wanted['how'] = 'set') => ({
  path,
  value,
  how,
});

function merge(text: string, wanted: readonly Wanted[]) {
  const doc = parseDocument(text);
  const changes = mergeInto(doc, wanted);
  return { changes, text: doc.toString({ lineWidth: 0 }) };
}

describe('merging into a file of dbt', () => {
  it('keeps integers beyond 2^53', async () => {
    const path = join(folder(), 'dbt_project.yml');
    const items = '[{ name: kept, id: 9007199254740993 }, 7]';
    writeFileSync(path, `config-version: 2\nvars: { first: 9007199254740993 }\nlist: ${items}\n`);
    const wanted = [set(['config-version'], 2), set(['name'], 'shop'), set(['list'], [7, 8], 'items')];
    const { changes, text } = await mergeFile(path, () => wanted, 'head');
    expect(changes.map(({ key }) => key)).toEqual(['name', 'list[8]']);
    expect(text).toContain('first: 9007199254740993');
    expect(text).toContain('id: 9007199254740993');
  });

  it('keeps comments, order and foreign keys, and tells each change', () => {
    const { changes, text } = merge(TEXT, [
      set(['shop_default', 'target'], 'default'),
      set([...OUTPUT, 'path'], 'data/new.db'),
      set([...OUTPUT, 'threads'], 1, 'start'),
      set([...OUTPUT, 'extensions'], ['httpfs', 'postgres'], 'items'),
      set([...OUTPUT, 'secrets'], [{ type: 'http', name: 'api' }], 'items'),
      set(['shop_prod', 'target'], 'prod'),
    ]);
    expect(changes.map(({ action, key }) => `${action} ${key}`)).toEqual([
      'change shop_default.outputs.default.path',
      'add shop_default.outputs.default.extensions[postgres]',
      'add shop_default.outputs.default.secrets[api]',
      'remove shop_default.outputs.default.secrets[gone]',
      'add shop_prod.target',
    ]);
    for (const kept of [
      '# ours, since 2024',

      '# the usual one',
      '# moved soon',
      '# for the lake',
    ]) {
      expect(text).toContain(kept);
    }
    expect(parseDocument(text).toJS()).toEqual({
      shop_default: {
        target: 'default',
        outputs: {
          default: {
            type: 'duckdb',
            path: 'data/new.db',
            threads: 8,
            extensions: ['httpfs', { name: 'gsheets', repo: 'community' }, 'postgres'],
            secrets: [
              { type: 's3', name: 'own', key_id: 'k' },
              { type: 'http', name: 'api' },
            ],
          },
        },
      },
      shop_prod: { target: 'prod' },
    });
  });

  it('changes nothing the second time, nor the text', () => {
    const wanted = [
      set([...OUTPUT, 'path'], 'data/old.db'),
      set([...OUTPUT, 'extensions'], ['httpfs'], 'items'),
    ];
    const secrets = parseDocument(TEXT).toJS().shop_default.outputs.default.secrets;
    expect(merge(TEXT, [...wanted, set([...OUTPUT, 'secrets'], secrets, 'items')])).toEqual({
      changes: [],
      text: TEXT,
    });
  });

  it('fills maps that are written empty', () => {
    const { text } = merge('shop_default:\n  outputs:\n', [set([...OUTPUT, 'type'], 'duckdb')]);
    expect(parseDocument(text).toJS()).toEqual({
      shop_default: { outputs: { default: { type: 'duckdb' } } },
    });
  });

  it('refuses what it cannot merge into, and names it', () => {
    const aliased = 'base: &b\n  type: duckdb\nshop_default:\n  outputs:\n    default: *b\n';
    for (const text of [aliased, 'shop_default: [1]\n', 'shop_default: word\n']) {
      expect(() => merge(text, [set([...OUTPUT, 'path'], 'x')])).toThrow(
        /shop_default\.outputs\.default\.path/,
      );
    }
  });
});
