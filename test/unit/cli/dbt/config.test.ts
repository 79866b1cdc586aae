import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { folder, svc } from '../svc.ts';

const SITE = `svc: 1
project: my-shop
profile: default
profiles:
  default:
    database: { path: data/shop.db }
  prod:
    database: { path: /srv/prod.db }
extensions: [httpfs, { name: gsheets, repo: community }]
dbt:
  model_paths: [transform]
  test_paths: [checks, slow/checks]
`;
const USER = `svc: 1
projects:
  my-shop:
    profiles:
      default:
        secrets:
          - name: lake-1
            type: s3
            parameters: { key_id: AKIAPLANTED, secret: 'vault://kv/lake#secret', region: eu-central-1 }
          - name: api
            type: http
            parameters: { extra_http_headers: { X-Key: planted-header } }
          - name: model
            type: openai
            parameters: { api_key: planted-key }
      prod:
`;
const PLANTED = /AKIAPLANTED|planted-|eu-central-1|vault:/;

function shop(): { root: string; env: Readonly<Record<string, string>> } {
  const root = folder();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  writeFileSync(join(root, 'user.yml'), USER);
  return { root, env: { SVC_CONFIG: join(root, 'user.yml'), DBT_PROFILES_DIR: '' } };
}

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

describe('svc dbt-config', { timeout: 60_000 }, () => {
  // Requirements: feature.dbt, site.dbt
  it('makes both files, with the names of secrets and never their values (D24 of the peer)', async () => {
    const { root, env } = shop();
    const made = await svc(['dbt-config', '--json'], root, env);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const profiles = parse(read(root, 'profiles.yml'));
    expect(profiles.my_shop_default).toEqual({
      target: 'default',
      outputs: {
        default: {
          type: 'duckdb',
          path: "{{ env_var('SVC_DATABASE_PATH', 'data/shop.db') }}",
          threads: 1,
          extensions: ['httpfs', { name: 'gsheets', repo: 'community' }],
          secrets: [
            {
              type: 's3',
              name: 'lake_1',
              key_id: "{{ env_var('DBT_ENV_SECRET_LAKE_1_KEY_ID') }}",
              secret: "{{ env_var('DBT_ENV_SECRET_LAKE_1_SECRET') }}",
              region: "{{ env_var('SVC_SECRET_LAKE_1_REGION') }}",
            },
            {
              type: 'http',
              name: 'api',
              extra_http_headers: { 'X-Key': "{{ env_var('DBT_ENV_SECRET_API_EXTRA_HTTP_HEADERS_X_KEY') }}" },
            },
          ],
        },
      },
    });
    expect(parse(read(root, 'dbt_project.yml'))).toMatchObject({
      name: 'my_shop',
      'config-version': 2,
      profile: 'my_shop_default',
      'model-paths': ['transform'],
      'test-paths': ['checks', 'slow/checks'],
      'seed-paths': ['seeds'],
    });
    expect(`${made.stdout}${read(root, 'profiles.yml')}${read(root, 'dbt_project.yml')}`).not.toMatch(
      PLANTED,
    );
    const again = await svc(['dbt-config', '--json'], root, env);
    expect(JSON.parse(again.stdout).files.map(({ action }: { action: string }) => action)).toEqual([
      'none',
      'none',
    ]);
  });

  it('adds a profile to files that are there, and leaves which one is usual', async () => {
    const { root, env } = shop();
    await svc(['dbt-config'], root, env);
    const before = read(root, 'dbt_project.yml');
    expect(await svc(['dbt-config', '--profile', 'prod'], root, env)).toMatchObject({ code: 0 });
    const { my_shop_default, my_shop_prod } = parse(read(root, 'profiles.yml'));
    expect(my_shop_default.outputs.default.secrets).toHaveLength(2);
    expect(my_shop_prod.outputs.prod.path).toBe("{{ env_var('SVC_DATABASE_PATH', '/srv/prod.db') }}");
    expect(read(root, 'dbt_project.yml')).toBe(before);
  });

  it('replaces what differs only when told to, and shows it before', async () => {
    const { root, env } = shop();
    const own =
      '# by hand\r\nname: other\r\nprofile: elsewhere # ours\r\nmodels:\r\n  +materialized: table\r\n';
    writeFileSync(join(root, 'dbt_project.yml'), own);
    const refused = await svc(['dbt-config'], root, env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/Nothing was written.*~ profile: elsewhere -> my_shop_default.*--force/s);
    expect(existsSync(join(root, 'profiles.yml'))).toBe(false);
    const shown = await svc(['dbt-config', '--dry-run', '--json'], root, env);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'ok', written: false, needs_force: true });
    expect(read(root, 'dbt_project.yml')).toBe(own);
    expect((await svc(['dbt-config', '--force'], root, env)).code).toBe(0);
    const text = read(root, 'dbt_project.yml');
    expect(text).toMatch(/^# by hand\r\nname: other\r\nprofile: my_shop_default # ours\r\n/);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(parse(text)).toMatchObject({ models: { '+materialized': 'table' }, 'model-paths': ['transform'] });
  });

  it('prints no credential of a profile that was written by hand', async () => {
    const { root, env } = shop();
    const secrets = `
        - type: s3
          name: lake_1
          key_id: AKIA0123456789ABCDEF
          secret: by-hand
          session_token: "{{ env_var('TOKEN', 'by-hand') }}"
          region: eu-central-1
        - { type: http, name: api, extra_http_headers: { X-Key: by-hand } }
        - { type: s3, name: gone, secret: by-hand, key_id: "{{ env_var('DBT_ENV_SECRET_GONE_KEY_ID') }}" }`;
    const output = '{ type: snowflake, account: other, password: by-hand }';
    writeFileSync(
      join(root, 'profiles.yml'),
      `my_shop_default:\n  target: default\n  outputs:\n    default:\n      type: duckdb\n      path: md:shop?motherduck_token=by-hand\n      secrets:${secrets}\n    other: ${output}\n`,
    );
    const runs = [
      await svc(['dbt-config'], root, env),
      await svc(['dbt-config', '--json'], root, env),
      await svc(['dbt-config', '--dry-run'], root, env),
      await svc(['dbt-config', '--dry-run', '--json'], root, env),
      await svc(['dbt-config', '--force', '--json'], root, env),
    ];
    expect(runs.map(({ code }) => code)).toEqual([1, 1, 0, 0, 0]);
    const printed = runs.map(({ stdout, stderr }) => stdout + stderr).join('');
    expect(printed).not.toMatch(/by-hand|AKIA0123/);
    expect(printed).toContain('"key_id":"[REDACTED]","secret":"[REDACTED]"');
    expect(printed).toContain('"region":"eu-central-1"');
    expect(printed).toContain("env_var('DBT_ENV_SECRET_GONE_KEY_ID')");
  });

  it('leaves `~/` in the path of the database, wherever profiles.yml is', async () => {
    const { root, env } = shop();
    const site = read(root, 'svc-site.yml').replaceAll('data/shop.db', '~/data/shop.db');
    writeFileSync(join(root, 'svc-site.yml'), site);
    const { code } = await svc(['dbt-config', '--profiles-dir', 'elsewhere'], root, env);
    expect(code).toBe(0);
    const { my_shop_default } = parse(read(root, 'elsewhere/profiles.yml'));
    expect(my_shop_default.outputs.default.path).toBe("{{ env_var('SVC_DATABASE_PATH', '~/data/shop.db') }}");
  });

  it('puts profiles.yml where it is told to, with the whole path of the database', async () => {
    const { root, env } = shop();
    mkdirSync(join(root, 'sub'));
    const { code } = await svc(['dbt-config', '--profiles-dir', '../elsewhere'], join(root, 'sub'), env);
    expect(code).toBe(0);
    const { my_shop_default } = parse(read(root, 'elsewhere/profiles.yml'));
    expect(my_shop_default.outputs.default.path).toContain(`'${join(root, 'data/shop.db')}'`);
    expect(existsSync(join(root, 'dbt_project.yml'))).toBe(true);
  });

  it.each([
    [
      'files that are not YAML',
      { 'profiles.yml': 'a: [\n' },
      /profiles\.yml:2 is not YAML that can be merged.*Nothing/s,
    ],
    ['files that are no map', { 'profiles.yml': '- a\n' }, /it is not a map/],
    // Requirements: site.dbt
    [
      'a project that turned dbt off',
      { 'svc-site.yml': SITE.replace('dbt:', 'dbt:\n  enabled: false') },
      /switched off/,
    ],
    [
      'secrets that would be one',
      {
        'user.yml': USER.replace('name: api', 'name: lake_1')
          .replace('X-Key', 'x')
          .replace('extra_http_headers: { x: planted-header }', 'key_id: x'),
      },
      /lake-1\.key_id and lake_1\.key_id.*SVC_SECRET_LAKE_1_KEY_ID/,
    ],
  ])('refuses %s', async (_what, files, message) => {
    const { root, env } = shop();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    const { code, stderr } = await svc(['dbt-config'], root, env);
    expect({ code, text: stderr }).toEqual({ code: 1, text: expect.stringMatching(message) });
    expect(stderr).not.toMatch(PLANTED);
    expect(existsSync(join(root, 'dbt_project.yml'))).toBe(false);
  });
});
