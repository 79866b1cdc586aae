import { expect, test } from 'vitest';
import { type Manifest, parseManifest, toServedCatalog } from '../../../src/catalog/manifest.ts';

const manifest: Manifest = {
  svc: 1,
  version: '1.2.3',
  hash: 'artefact',
  database: { name: 'shop.db', bytes: 12, sha256: 'd' },
  profile: 'default',
  access: { signIn: null, public: false },
  audit: {
    enabled: false,
    path: 'audit/logs-default.jsonl',
    maxFileSize: 52_428_800,
    retentionDays: null,
    onError: 'block',
    inputs: true,
    outputs: false,
  },
  secrets: ['crm'],
  catalog: { project: 'p', hash: 'catalog', tools: {}, resources: {}, prompts: {} },
};

test('a manifest survives its own text', () => {
  expect(parseManifest(JSON.stringify(manifest))).toEqual(manifest);
});

test('the served catalog carries the hash of the whole artefact', () => {
  expect(toServedCatalog(manifest)).toEqual({ ...manifest.catalog, hash: 'artefact' });
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{"svc":2,"hash":"h","catalog":{}}',
  '{"svc":1}',
  '{"svc":1,"hash":"h","catalog":{}}',
  '{"svc":1,"hash":"h","catalog":null}',
])('what is no manifest says how to make one: %s', (text) => {
  expect(() => parseManifest(text)).toThrow(/svc build/);
});
