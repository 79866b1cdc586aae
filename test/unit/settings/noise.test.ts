import { describe, expect, it } from 'vitest';
import type { SecretSource } from '../../../src/ports.ts';
import { checkLiteralSecrets } from '../../../src/settings/references/literal-secrets.ts';
import { parseReference, parseReferences } from '../../../src/settings/references/reference.ts';
import { createRandom } from '../types/random.ts';
import { load, SITE } from './fixture.ts';

const ROUNDS = 400;
const ERROR = expect.objectContaining({ severity: 'error' });

const BITS = [
  '${',
  '}',
  '${A}',
  ':-',
  'vault://',
  'op://',
  'file://',
  '#',
  '/',
  '?attribute=otp',
  '..',
  '\0',
  '\n',
  '"',
  "'",
  'a',
  'é',
  '\ud800',
  ' ',
  '%',
  '$',
  '{',
  '\\',
  '__proto__',
  '~',
];

const LINES = [
  'svc: 1',
  'svc: "1"',
  'svc: 2',
  'projects:',
  '  demo:',
  '    profiles:',
  '      dev:',
  '        secrets:',
  '          - { name: s, type: custom, parameters: { a: "${A}" } }',
  '        auth: { provider: ${A} }',
  '        telemetry: *x',
  'transport: &x',
  '  http: { port: "${A}" }',
  'models:',
  '  models: {}',
  '  default: ${B}',
  'vault: { enabled: true, address: "${A}" }',
  'onepassword: [',
  '  <<: *x',
  '- a',
  'logging: { level: debug }',
  'project: demo',
  'profile: dev',
  'profiles: { dev: { database: { path: x } } }',
  'secrets: [a]',
  '\t',
  '{',
  '? : :',
  'extensions: [httpfs, { name: x, repo: community }]',
  'paths: { data: file://x }',
  '"\\',
  '__proto__: {}',
  '#',
  '',
];

const { below: random } = createRandom(20261121);
const some = (from: readonly string[], most: number, between = '') =>
  Array.from({ length: random(most) }, () => from[random(from.length)]).join(between);

/** Answers at random, and sometimes not at all. */
const source: SecretSource = {
  read: async () => {
    if (random(4) === 0) throw new Error('planted');
    return some(BITS, 4);
  },
};

describe('noise', () => {
  it('in a reference is a value, a reference or a refusal', () => {
    for (let round = 0; round < ROUNDS * 10; round += 1) {
      const text = some(BITS, 8);
      expect(['literal', 'reference', 'refused']).toContain(parseReferences(text).kind);
      const parsed = parseReference(text);
      if ('message' in parsed) expect(parsed.fix).toMatch(/\S/);
      else expect(parsed.reference.scheme).toMatch(/^(vault|op|file)$/);
    }
  });

  it('in the user file is settings or findings with a place', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = `${random(2) === 0 ? 'svc: 1\n' : ''}${some(LINES, 10, '\n')}`;
      const { settings, findings } = await load({ user: text, over: { openSource: () => source } });
      if (settings === null) expect(findings).toContainEqual(ERROR);
      for (const { message, fix, file } of findings) {
        expect({ text, message, fix, file }).toMatchObject({
          message: expect.stringMatching(/\S/),
          fix: expect.stringMatching(/\S/),
          file: expect.stringMatching(/\S/),
        });
        expect(message).not.toContain('planted');
      }
      expect(Array.isArray(checkLiteralSecrets(new TextEncoder().encode(text), 'config.yml'))).toBe(true);
    }
  });

  it('in the site file is a site or an error with a text', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = `${random(2) === 0 ? SITE : ''}${some(LINES, 8, '\n')}`;
      const loaded = await load({ site: text }).catch((thrown: Error) => thrown);
      if (loaded instanceof Error) expect(loaded.message).toMatch(/\S/);
      else if (loaded.settings === null) expect(loaded.findings).toContainEqual(ERROR);
    }
  });
});
