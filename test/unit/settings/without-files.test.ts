import { expect, it } from 'vitest';
import { createSecretSource } from '../../../adapters/references/source.ts';
import { type BundledInput, loadEdgeSettings } from '../../../src/settings/without-files.ts';
import { userFile } from './fixture.ts';

const USER = userFile('secrets: [{ name: db, type: custom, parameters: { key: "${KEY}" } }]\n');

function start(env: BundledInput['env'], over: Partial<BundledInput> = {}) {
  return loadEdgeSettings({
    project: 'demo',
    profile: 'dev',
    secrets: ['db'],
    bundled: null,
    env,
    openSource: (connections) => createSecretSource(connections, env),
    ...over,
  });
}

it('a platform without files takes the user file as text, and values from its variables', async () => {
  const { secrets } = await start({ SVC_CONFIG_YAML: USER, KEY: 'k1' });
  expect(secrets).toEqual([{ name: 'db', type: 'custom', parameters: { key: 'k1' } }]);
});

it('a bundled user file serves where no text is given', async () => {
  const { secrets } = await start({ KEY: 'k2' }, { bundled: USER });
  expect(secrets[0]?.parameters).toEqual({ key: 'k2' });
});

it('a missing value stops the start and is named', async () => {
  const failed = start({ SVC_CONFIG_YAML: USER });
  await expect(failed).rejects.toMatchObject({
    code: 'reference_unresolved',
    message: expect.stringMatching(/^SVC_CONFIG_YAML:6: `.*key` is \$\{KEY\}, which names .* not set/),
  });
});

it('a secret without definition, a file and the SDK stop the start with what to do', async () => {
  await expect(start({})).rejects.toThrow('The secret db is not defined');
  const file = USER.replace('${KEY}', 'file://x');
  await expect(start({ SVC_CONFIG_YAML: file })).rejects.toThrow(
    'names a file, but this platform has no files',
  );
  const op = `${USER.replace('${KEY}', 'op://v/i/f')}onepassword: { enabled: true }\n`;
  await expect(start({ SVC_CONFIG_YAML: op })).rejects.toThrow('only through a Connect server');
});
