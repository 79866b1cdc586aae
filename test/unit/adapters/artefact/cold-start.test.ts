import { expect, test } from 'vitest';
import { createGate } from '../../../../adapters/artefact/cold-start.ts';
import { loadStartSettings } from '../../../../adapters/artefact/no-settings.ts';
import { SvcError } from '../../../../src/errors.ts';

const APP = { fetch: async () => new Response('served') };
const failure = () => new SvcError('reference_unresolved', 'config.yml:3: is not set.');

test('everybody shares one load, and a sound one is never repeated', async () => {
  let loads = 0;
  const gate = createGate(
    async () => {
      loads += 1;
      return APP;
    },
    () => {},
    () => 0,
  );
  const sound = { ...APP, refuses: false };
  expect(await Promise.all([gate(), gate(), gate()])).toEqual([sound, sound, sound]);
  expect(await gate()).toEqual(sound);
  expect(loads).toBe(1);
});

test('a failure is logged once, holds for five seconds and is tried again then', async () => {
  let time = 0;
  let sound = false;
  const lines: string[] = [];
  const load = async () => {
    if (!sound) throw failure();
    return APP;
  };
  const gate = createGate(
    load,
    ({ message }) => lines.push(message),
    () => time,
  );
  expect(await gate()).toMatchObject({ refuses: true });
  sound = true;
  time = 4_999;
  expect(await gate()).toMatchObject({ refuses: true });
  expect(lines).toEqual(['refusing to serve: config.yml:3: is not set.']);
  time = 5_000;
  expect(await gate()).toEqual({ ...APP, refuses: false });
});

test.each(['mcp', 'health'])('the answer to /%s is 503 and shows nothing of the reason', async (path) => {
  const gate = createGate(
    async () => Promise.reject(failure()),
    () => {},
  );
  const { fetch } = await gate();
  const answer = await fetch(new Request(`http://host/${path}`));
  expect(answer.status).toBe(503);
  const text = await answer.text();
  expect(text).toContain('config_invalid');
  expect(text).not.toContain('config.yml');
});

test('an artefact without the loader refuses a user file that it would ignore', async () => {
  const catalog = { project: 'p', hash: 'h', tools: {}, resources: {}, prompts: {} };
  const manifest = { catalog, profile: 'default', secrets: [] };
  const start = { manifest, bundled: null };
  expect(await loadStartSettings({ ...start, env: { SVC_CONFIG_YAML: ' ' } })).toBe(null);
  const failed = loadStartSettings({ ...start, env: { SVC_CONFIG_YAML: 'svc: 1' } });
  await expect(failed).rejects.toThrow(/svc build --config/);
});
