import { expect, it } from 'vitest';
import { type Document, isScalar, parseDocument, visit } from 'yaml';
import { decodeText } from '../../../src/project/yaml/decode.ts';
import { parseYaml } from '../../../src/project/yaml/yaml.ts';
import { cpuMs } from '../cpu.ts';
import { findingsOf, load, SITE } from './memory.ts';
import { createRandom } from './mutate.ts';

const PIECES = [
  ...[
    'a',
    'b: ',
    'key: ',
    '- ',
    '? ',
    ': ',
    '\n',
    '\n  ',
    '\n    ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '"',
    "'",
    '|\n',
    '>-\n',
  ],
  ...[
    '&a ',
    '*a',
    '<<: ',
    '!t ',
    '!!str ',
    '#c',
    ' #c\n',
    '---\n',
    '...\n',
    '%YAML 1.2\n',
    '\t',
    '~',
    'null',
    '1',
    '0x1F',
  ],
  ...[
    '-1.5e3',
    '.nan',
    'true',
    '9007199254740993',
    '\\',
    '\r\n',
    '😀',
    'ß',
    '`',
    '@',
    '=',
    '__proto__: ',
    'constructor: ',
  ],
];

function noise(random: (below: number) => number): string {
  return Array.from({ length: random(25) }, () => PIECES[random(PIECES.length)] ?? '').join('');
}

it('reads noise as the YAML library does, or says what is wrong with it', () => {
  const random = createRandom(20_260_729);
  let read = 0;
  for (let turn = 0; turn < 6_000; turn += 1) {
    const text = noise(random);
    const parsed = parseYaml(text);
    if ('problems' in parsed) {
      expect(parsed.problems.length, text).toBeGreaterThan(0);
      for (const { position } of parsed.problems) {
        expect(position.line, text).toBeGreaterThan(0);
        expect(position.line, text).toBeLessThanOrEqual(text.split('\n').length);
        expect(position.column, text).toBeGreaterThan(0);
      }
      continue;
    }
    read += 1;
    const document = parseDocument(text, { merge: true, intAsBigInt: true, logLevel: 'error' });
    expect(document.errors, text).toEqual([]);
    if (!hasOddKeys(document)) expect(parsed.yaml.value, text).toEqual(plain(document.toJS()));
    for (const pointer of Object.keys(parsed.yaml.positions)) expect(pointer, text).toMatch(/^$|^\//);
  }
  expect(read).toBeGreaterThan(1_000);
});

/** Keys that are no text are the text they are written as; the library has other names for some. */
function hasOddKeys(document: Document): boolean {
  let odd = false;
  visit(document, {
    Pair: (_, { key }) => {
      odd ||= !isScalar(key) || typeof key.value !== 'string';
    },
  });
  return odd;
}

/** What the library reads, with integers as we keep them. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}

it('takes any bytes as an endpoint file, as SQL and as the site file', async () => {
  const random = createRandom(5);
  for (let turn = 0; turn < 300; turn += 1) {
    const bytes = Uint8Array.from({ length: random(60) }, () => random(256));
    const decoded = decodeText(bytes);
    if ('problem' in decoded) expect(decoded.problem.position.line).toBeGreaterThan(0);
    for (const { line, column } of await findingsOf(bytes)) expect(Math.min(line, column)).toBeGreaterThan(0);
    const tool = 'tool: { name: a, source: { file: a.sql } }';
    const { endpoints, findings } = await load({ 'tools/a.yml': tool, 'tools/a.sql': bytes });
    expect(endpoints[0]?.endpoint === null).toBe(findings.length > 0);
    const site = await load({ 'svc-site.yml': bytes });
    expect(site.site === null).toBe(site.findings.length > 0);
  }
});

it('takes noise for a site file', async () => {
  const random = createRandom(6);
  for (let turn = 0; turn < 300; turn += 1) {
    const { site, findings } = await load({ 'svc-site.yml': SITE + noise(random) });
    const errors = findings.filter(({ severity }) => severity === 'error');
    expect(site === null).toBe(errors.length > 0);
  }
});

/** The processor time of loading so many endpoints, in milliseconds. */
async function costOf(many: number): Promise<number> {
  const tree = Object.fromEntries(
    Array.from({ length: many }, (_, index) => [
      `tools/t${index}.yml`,
      `tool:\n  name: t${index}\n  description: Number ${index}\n  parameters:\n    - { name: id, type: integer, minimum: 1, description: Which }\n    - { name: day, type: string, format: date, default: null }\n  return: { type: array, items: { type: object, properties: { a: { type: string }, b: { type: number } } } }\n  source:\n    code: |\n      SELECT a, b FROM t\n      WHERE id = $id AND day = $day\n`,
    ]),
  );
  const start = cpuMs();
  const { endpoints, findings } = await load(tree);
  expect(findings).toEqual([]);
  expect(endpoints).toHaveLength(many);
  return cpuMs() - start;
}

it('loads endpoints in linear time', async () => {
  await costOf(100);
  const few = await costOf(100);
  // Ten times the files cost ten times as much; the square would be a hundred times.
  expect(await costOf(1000)).toBeLessThan(40 * few);
});
