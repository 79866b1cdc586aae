import { isObject, type JsonObject } from '../../json.ts';
import { ENDPOINT_KINDS } from '../../project/model.ts';
import { ENDPOINT_FILE } from '../../project/schema/endpoint.ts';
import { SITE_FILE } from '../../project/schema/site.ts';
import { SUITE_FILE } from '../evals/schema.ts';
import { ENDPOINT_WORDS } from './endpoint-words.ts';
import { EVALS_WORDS } from './evals-words.ts';
import { toEditorSchema } from './json-schema.ts';
import { SITE_BLOCKS, SITE_WORDS } from './site-words.ts';

/** Parts that have another name than the key that leads to them. */
const PARTS: { readonly [key: string]: string } = {
  '': 'file',
  return: 'type',
  items: 'type',
  properties: 'type',
  parameters: 'parameter',
  tests: 'test',
  arguments: 'argument',
  icons: 'icon',
  input: 'rule',
  output: 'rule',
  messages: 'message',
  ask: 'question',
  fields: 'field',
};

/** The files for which editors get a schema. */
export const EDITOR_FILES = ['endpoint', 'site', 'evals'] as const;

/** The JSON Schema 2020-12 of a file, for editors. */
export function editorSchemaOf(file: (typeof EDITOR_FILES)[number]): JsonObject {
  if (file === 'evals') return evalsSchema();
  return file === 'endpoint' ? endpointSchema() : siteSchema();
}

function endpointSchema(): JsonObject {
  const schema = toEditorSchema(ENDPOINT_FILE, {
    title: 'Endpoint file of svc',
    describe: (key) => wordsOf(key.includes('.') ? key : `file.${key}`),
    partAt: (key) => (key === '' ? null : partOf(key)),
  });
  return { ...schema, ...exactlyOneKind(schema) };
}

/** States that exactly one kind is present. The loader checks this in code, so the valibot schema does not contain it. */
function exactlyOneKind({ properties }: JsonObject): JsonObject {
  const kinds = ENDPOINT_KINDS.map((kind) => {
    const description = ENDPOINT_WORDS.file?.[kind] ?? '';
    return [kind, { description, $ref: `#/$defs/${kind}` }] as const;
  });
  return {
    properties: { ...(isObject(properties) ? properties : {}), ...Object.fromEntries(kinds) },
    oneOf: ENDPOINT_KINDS.map((kind) => ({ required: [kind] })),
  };
}

function wordsOf(key: string): string | undefined {
  const [part = '', name = ''] = key.split('.');
  return ENDPOINT_WORDS[part]?.[name];
}

function partOf(key: string): string {
  const last =
    key
      .replaceAll(/\[\]|\.<name>$/g, '')
      .split('.')
      .at(-1) ?? '';
  return PARTS[last] ?? last;
}

function siteSchema(): JsonObject {
  return toEditorSchema(SITE_FILE, {
    title: 'svc-site.yml',
    describe: (key) => {
      const known = key.replace('profiles.<name>', 'profiles.<profile>');
      const own = SITE_WORDS[known] ?? SITE_BLOCKS[known] ?? SITE_WORDS[`${known}[]`];
      return own ?? wordsOf(key.endsWith('.policies') ? 'tool.policies' : key);
    },
    partAt: (key) =>
      /\.policies$/.test(key) ? 'policies' : /\.(input|output)\[\]$/.test(key) ? 'rule' : null,
  });
}

function evalsSchema(): JsonObject {
  return toEditorSchema(SUITE_FILE, {
    title: 'Evaluations of svc',
    describe: (key) => EVALS_WORDS[key],
    partAt: () => null,
  });
}
