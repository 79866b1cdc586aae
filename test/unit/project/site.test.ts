import { describe, expect, it } from 'vitest';
import { load, SITE, short } from './memory.ts';

const site = async (text: string, profile?: string) => {
  const project = await load({ 'svc-site.yml': text }, profile);
  return { site: project.site, findings: project.findings.map(short) };
};

describe('the site file', () => {
  it('says where the keys of a profile belong', async () => {
    const { findings } = await site(`${SITE}audit: { enabled: true }\ndatabase: { readonly: true }\n`);
    expect(findings).toEqual([
      expect.stringMatching(
        / unknown-key: `audit` is not a known key here\. Move it into a profile: `profiles:`, then/,
      ),
      expect.stringMatching(/ unknown-key: `database` is not a known key here\. Move it into a profile/),
    ]);
  });

  // Requirements: site.audit.enabled, site.database.path, site.database.readonly, site.drift.path
  // Requirements: site.three-fields
  it('needs three fields; the rest has defaults', async () => {
    expect(await site(SITE)).toEqual({
      findings: [],
      site: {
        project: 'demo',
        profile: 'default',
        database: {
          path: 'data/db-default.db',
          readonly: false,
          engine: 'auto',
          isolation: 'auto',
          memoryLimit: null,
          sandbox: false,
          attach: [],
          use: null,
        },
        python: { interpreter: null },
        drift: { path: 'drift/drift-default.json' },
        audit: {
          enabled: false,
          path: 'audit/logs-default.jsonl',
          maxFileSize: 52_428_800,
          retentionDays: null,
          onError: 'block',
          inputs: true,
          outputs: false,
        },
        paths: {
          tools: 'tools',
          resources: 'resources',
          prompts: 'prompts',
          skills: 'skills',
          evals: 'evals',
          python: 'python',
          plugins: 'plugins',
          sql: 'sql',
          drift: 'drift',
          audit: 'audit',
          data: 'data',
        },
        extensions: [],
        limits: {},
        dbt: null,
        sqlTools: {
          enabled: false,
          attached: false,
          descriptions: {},
          policies: expect.any(Object),
          tables: null,
        },
        toolSearch: false,
        schemaProfile: null,
        secrets: [],
        plugins: [],
        profiles: {},
      },
    });
  });

  it('moves the defaults with the folders', async () => {
    const { site: found } = await site(`${SITE}paths: { data: ./var/db/, drift: d, audit: /var/log }\n`);
    expect(found).toMatchObject({
      database: { path: 'var/db/db-default.db' },
      drift: { path: 'd/drift-default.json' },
      audit: { path: '/var/log/logs-default.jsonl' },
    });
  });

  // Requirements: site.profile, site.project, site.svc, version.1
  it.each(['project', 'profile', 'svc'])('misses %s', async (key) => {
    const { site: found, findings } = await site(SITE.replace(new RegExp(`^${key}:.*\n`, 'm'), ''));
    expect(found).toBeNull();
    expect(findings).toEqual([`1:1 missing-field: \`${key}\` is missing. Add \`${key}\`.`]);
  });

  // Requirements: site.svc, version.1
  it.each(['2', '"1"', '1.5', 'yes'])('has no version %s', async (version) => {
    const { site: found, findings } = await site(SITE.replace('svc: 1', `svc: ${version}`));
    expect(found).toBeNull();
    expect(findings).toEqual([expect.stringMatching(/^1:[67] svc-version: `svc` .*`svc: 1`/)]);
  });

  // Requirements: site.place
  it('is missing', async () => {
    const { loadProject } = await import('../../../src/project/load.ts');
    const { memoryFiles } = await import('./memory.ts');
    const { findings } = await loadProject(memoryFiles({}), '/demo');
    expect(findings).toMatchObject([{ code: 'site-missing', file: 'svc-site.yml', line: 1, column: 1 }]);
  });

  it.each([
    ['profil: x', '4:1 unknown-key: `profil` is not a known key here. Did you mean `profile`?'],
    // Requirements: site.dbt
    [
      'dbt: { enabled: maybe }',
      expect.stringMatching(/^4:17 wrong-type: `dbt\.enabled` must be true or false/),
    ],
    // Requirements: site.dbt
    ['dbt: { test_paths: [1] }', expect.stringMatching(/^4:21 wrong-type: `dbt\.test_paths\[0\]`/)],
    ['secrets: { a: b }', expect.stringMatching(/^4:10 wrong-type: `secrets` must be a list/)],
    ['extensions: [{ nam: x }]', expect.stringMatching(/^4:14 missing-field|^4:16 unknown-key/)],
    ['extensions: ["h3; DROP"]', expect.stringMatching(/^4:15 wrong-value: `extensions\[0\]\.name`/)],
    [
      // Requirements: site.extensions.repo
      'extensions: [{ name: h3, repo: comunity }]',
      expect.stringMatching(
        /^4:32 wrong-value: .* must be core, core_nightly, community, an address, or a folder/,
      ),
    ],
    ['paths: { tool: x }', '4:10 unknown-key: `paths.tool` is not a known key here. Did you mean `tools`?'],
    ['paths: { tools: ../other }', expect.stringMatching(/^4:17 wrong-value: `paths\.tools` must be/)],
    ['paths: { prompts: /etc }', expect.stringMatching(/^4:19 wrong-value: `paths\.prompts` must be/)],
    ['sql_tools: { enabled: on }', expect.stringMatching(/^4:23 wrong-type/)],
    ['sql_tools: { run: {} }', expect.stringMatching(/^4:14 unknown-key/)],
    [
      'dbt: { model_path: x }',
      '4:8 unknown-key: `dbt.model_path` is not a known key here. Did you mean `model_paths`?',
    ],
    [
      'profiles: { default: { auth: {} } }',
      '4:24 unknown-key: `profiles.default.auth` is not a known key here. Move it to the user configuration, ~/.svc/config.yml.',
    ],
    [
      'profiles: { default: { database: { path: ":memory:" } } }',
      expect.stringMatching(/^4:43 wrong-value: .*must be a file/),
    ],
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
      'profiles: { default: { database: { path: "${HOME}/x.db" } } }',
      expect.stringMatching(/^4:43 reference: /),
    ],
    [
      'profiles: { default: { database: { engine: duckdb } } }',
      expect.stringMatching(/^4:44 wrong-value: .*must be one of auto, wasm, native/),
    ],
    ['profiles: { "a/b": {} }', expect.stringMatching(/^4:13 wrong-value: `profiles\.a\/b` must be/)],
  ])('%s', async (line, finding) => {
    const { site: found, findings } = await site(`${SITE}${line}\n`);
    expect(found).toBeNull();
    expect(findings[0]).toEqual(finding);
  });

  // Requirements: site.extensions.core
  it('takes one for a list of one', async () => {
    const { site: found } = await site(
      `${SITE}secrets: one\nextensions: [httpfs]\ndbt: { seed_paths: data }\n`,
    );
    expect(found).toMatchObject({
      secrets: ['one'],
      extensions: [{ name: 'httpfs' }],
      dbt: { enabled: true, seed_paths: ['data'] },
    });
  });

  // Requirements: site.extensions.repo
  it('takes extensions of every repository that is known', async () => {
    const { site: found, findings } = await site(
      `${SITE}extensions: [json, { name: h3, repo: community }, { name: spatial, repo: core_nightly }, { name: fts, repo: ./extensions }, { name: vss, repo: 'https://example.com/x' }]\n`,
    );
    expect(findings).toEqual([]);
    expect(found?.extensions).toEqual([
      { name: 'json' },
      { name: 'h3', repo: 'community' },
      { name: 'spatial', repo: 'core_nightly' },
      { name: 'fts', repo: './extensions' },
      { name: 'vss', repo: 'https://example.com/x' },
    ]);
  });

  it('loads the extensions of a profile with those of the project, in that profile only', async () => {
    const text = `${SITE}extensions: [json]\nprofiles: { default: {}, lake: { extensions: [ducklake, { name: h3, repo: community }] } }\n`;
    const names = async (profile: string) =>
      (await site(text, profile)).site?.extensions.map(({ name }) => name);
    expect(await names('default')).toEqual(['json']);
    expect(await names('lake')).toEqual(['json', 'ducklake', 'h3']);
  });

  // Requirements: site.dbt
  it('reads the keys of dbt', async () => {
    const { site: found } = await site(
      `${SITE}dbt: { enabled: false, model_paths: [m, n], test_paths: [t] }\n`,
    );
    expect(found?.dbt).toMatchObject({ enabled: false, model_paths: ['m', 'n'], test_paths: ['t'] });
  });

  it('may be called as it likes, but profiles become parts of file names', async () => {
    expect((await site(SITE.replace('demo', '"My shop"'))).site?.project).toBe('My shop');
    expect((await site(SITE.replace('default', '../x'))).findings).toEqual([
      expect.stringMatching(/^3:10 wrong-value/),
    ]);
  });
});

describe('profiles', () => {
  const PROFILES = `${SITE}profiles:\n  default: { database: { readonly: true } }\n  prod: { database: { path: "data/{profile}.db" }, audit: { enabled: true } }\n  bare:\n`;

  // Requirements: site.audit.path, site.database.path, site.profile
  it("are chosen by name, the site file's own by default", async () => {
    expect((await site(PROFILES)).site?.database).toEqual({
      path: 'data/db-default.db',
      readonly: true,
      engine: 'auto',
      isolation: 'auto',
      memoryLimit: null,
      sandbox: false,
      attach: [],
      use: null,
    });
    expect((await site(PROFILES, 'prod')).site).toMatchObject({
      profile: 'prod',
      database: { path: 'data/prod.db', readonly: false },
      audit: { enabled: true, path: 'audit/logs-prod.jsonl' },
    });
    expect((await site(PROFILES, 'bare')).site?.database.path).toBe('data/db-bare.db');
  });

  it('that nobody declared are refused, with the nearest name', async () => {
    expect((await site(PROFILES, 'prd')).findings).toEqual([
      '5:3 profile-unknown: `profiles`: There is no profile "prd"; known: default, prod, bare. Did you mean prod?',
    ]);
    expect((await site(SITE, 'prod')).findings).toEqual([
      '1:1 profile-unknown: `profiles`: There is no profile "prod"; known: default. Declare it under `profiles`, or choose another.',
    ]);
  });

  it('may leave out the one that the site file names, unless that looks like a slip', async () => {
    expect((await site(`${SITE}profiles: { prod: {} }\n`)).site?.profile).toBe('default');
    expect((await site(`${SITE}profiles: { defualt: {} }\n`)).findings).toEqual([
      '3:10 profile-unknown: `profile`: There is no profile "default"; known: defualt. Did you mean defualt?',
    ]);
  });
});
