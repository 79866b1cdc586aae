import { describe, expect, it } from 'vitest';
import { toMegabytes } from '../../../src/project/memory.ts';
import { load, problemsOf, SITE, settingsOf, userFile } from './fixture.ts';

const siteWith = (database: string, more = '') =>
  `${SITE}profiles:\n  dev:\n    database: { ${database} }\n${more}`;

describe('an amount of memory', () => {
  it.each([
    ['512MB', 512],
    ['512 MiB', 512],
    ['1.5gb', 1536],
    ['2TB', 2_097_152],
    ['65536KB', 64],
    ['512', null],
    ['MB', null],
    ['1e3MB', null],
    ['-1MB', null],
    ['', null],
  ])('%s is %s megabytes', (text, megabytes) => {
    expect(toMegabytes(text)).toBe(megabytes);
  });
});

describe('database.memory_limit', () => {
  it('is text with a unit, or megabytes', async () => {
    expect((await settingsOf({})).database.memoryLimit).toBeNull();
    expect((await settingsOf({ site: siteWith('memory_limit: 1GB') })).database.memoryLimit).toBe('1GB');
    expect((await settingsOf({ site: siteWith('memory_limit: 256') })).database.memoryLimit).toBe('256MB');
    const env = { SVC_DATABASE_MEMORY_LIMIT: '128' };
    const { settings, effective } = await load({ site: siteWith('memory_limit: 1GB'), env });
    expect(settings?.database.memoryLimit).toBe('128MB');
    expect(effective.find(({ key }) => key === 'database.memory_limit')).toMatchObject({
      value: '128MB',
      source: 'SVC_DATABASE_MEMORY_LIMIT',
    });
  });

  it.each(['12MB', '8', 'lots', '[1]', 'true'])('is not %s', async (value) => {
    await expect(settingsOf({ site: siteWith(`memory_limit: ${value}`) })).rejects.toThrow(/memory|text/);
  });

  it('is checked in the environment too', async () => {
    expect(await problemsOf({ env: { SVC_DATABASE_MEMORY_LIMIT: 'lots' } })).toEqual([
      'environment:0 wrong-value: SVC_DATABASE_MEMORY_LIMIT must be an amount of memory such as 512MB, 24MB or more. [Correct the variable, or unset it.]',
    ]);
  });
});

describe('database.sandbox', () => {
  const user = userFile('secrets: [{ name: lake, type: s3, parameters: { key_id: k } }]\n');

  it('comes from the site file or the environment', async () => {
    expect((await settingsOf({})).database.sandbox).toBe(false);
    expect((await settingsOf({ site: siteWith('sandbox: true') })).database.sandbox).toBe(true);
    expect((await settingsOf({ env: { SVC_DATABASE_SANDBOX: 'yes' } })).database.sandbox).toBe(true);
  });

  it('with extensions and secrets for what is outside is an error', async () => {
    const site = siteWith('sandbox: true', 'extensions: [json, httpfs, spatial]\n');
    const problems = await problemsOf({ site, user });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^svc-site.yml:7 sandbox-conflict: The extension httpfs /);
    expect(problems[1]).toMatch(/^config.yml:\d+ sandbox-conflict: `projects\.demo.*type` is s3/);
  });

  it('without: a secret whose extension is not loaded is a warning', async () => {
    expect(await problemsOf({ user })).toEqual([expect.stringMatching(/secret-idle: .*httpfs/)]);
    expect(await problemsOf({ site: `${SITE}extensions: [httpfs]\n`, user })).toEqual([]);
    expect((await settingsOf({ user })).secrets).toHaveLength(1);
  });
});

describe('the type of a secret', () => {
  const problemsWith = (type: string) =>
    problemsOf({ user: userFile(`secrets: [{ name: lake, type: ${type}, parameters: { key_id: k } }]\n`) });

  it('is warned about if it is almost a known one', async () => {
    const [problem, ...others] = await problemsWith('databse');
    expect(problem).toMatch(
      /^config.yml:\d+ secret-type: `projects\.demo.*type` is databse, .*\[Did you mean database\?\]$/,
    );
    expect(others).toEqual([]);
    expect(await problemsWith('postgress')).toEqual([expect.stringMatching(/Did you mean postgres\?/)]);
  });

  it.each(['database', 'API', 'custom', 'http', 'snowflake', 'x'])('may be %s', async (type) => {
    expect(await problemsWith(type)).toEqual([]);
  });
});
