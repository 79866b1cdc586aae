import { expect, test } from 'vitest';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import { mayWrite, runSources } from '../../../src/catalog/run-sources.ts';
import { loadTree } from '../call/project.ts';

const PARAMETERS = 'parameters: [{ name: id, type: string }]';
const RESOURCE = (uri: string, code: string) =>
  `resource:\n  uri: ${uri}\n  ${uri.includes('{') ? PARAMETERS : 'parameters: []'}\n  source: { code: "${code}" }\n`;
const EMBEDDING = (uri: string) =>
  `prompt:\n  name: ask\n  ${PARAMETERS}\n  messages: [{ prompt: Hi. }, { type: resource, prompt: "${uri}" }]\n`;

// Requirements: command.drift-snapshot
test.each([
  ['demo://read/1', false],
  ['demo://write/1', true],
  [' demo://write/1 ', true],
  ['demo://fixed', true],
  ['other://not/served', false],
  ['demo://read/{{ id }}', false],
  ['demo://write/{{ id }}', true],
  ['demo://{{ id }}', true],
  ['{% if id %}demo://write/1{% endif %}', true],
  ['demo://fix{{ id }}', true],
])('a prompt that embeds %s may write: %s', async (uri, expected) => {
  const catalog = await compileCatalog(
    await loadTree({
      'resources/read.yml': RESOURCE('demo://read/{id}', 'SELECT $id AS id'),
      'resources/write.yml': RESOURCE('demo://write/{id}', 'INSERT INTO log VALUES ($id)'),
      'resources/fixed.yml': RESOURCE('demo://fixed', 'INSERT INTO log VALUES (1)'),
      'prompts/ask.yml': EMBEDDING(uri),
    }),
  );
  const entry = catalog.prompts.ask;
  if (entry === undefined) throw new Error('no prompt');
  expect(mayWrite(entry, catalog)).toBe(expected);
});

test('the sources of a prompt are those of the resources in it', async () => {
  const catalog = await compileCatalog(
    await loadTree({
      'resources/read.yml': RESOURCE('demo://read/{id}', 'SELECT $id AS id'),
      'prompts/ask.yml': EMBEDDING('demo://read/7'),
    }),
  );
  const entry = catalog.prompts.ask;
  if (entry === undefined) throw new Error('no prompt');
  expect(runSources(entry, catalog)).toEqual([catalog.resources['demo://read/{id}']?.source]);
});
