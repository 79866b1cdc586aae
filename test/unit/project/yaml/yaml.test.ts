import { describe, expect, it } from 'vitest';
import type { Positions } from '../../../../src/project/yaml/position.ts';
import { parseYaml } from '../../../../src/project/yaml/yaml.ts';
import { findingsOf, load, short } from '../memory.ts';

const GOOD = 'svc: 1\ntool:\n  name: a\n  description: Größe ✓\n  source: { code: SELECT 1 }\n';

function utf16(text: string, little: boolean): Uint8Array {
  const bytes = [...`\ufeff${text}`].flatMap((character) => {
    const unit = character.charCodeAt(0);
    return little ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255];
  });
  return new Uint8Array(bytes);
}

describe('encodings', () => {
  it.each([
    ['UTF-8 with a byte order mark', new TextEncoder().encode(`\ufeff${GOOD}`)],
    ['UTF-16, little end first', utf16(GOOD, true)],
    ['UTF-16, big end first', utf16(GOOD, false)],
    ['Windows line ends', GOOD.replaceAll('\n', '\r\n')],
  ])('%s', async (_, bytes) => {
    const { endpoints, findings } = await load({ 'tools/a.yml': bytes });
    expect(findings).toEqual([]);
    expect(endpoints[0]?.endpoint).toMatchObject({ description: 'Größe ✓' });
    expect(endpoints[0]?.positions['/tool/description']).toMatchObject({ line: 4, column: 16 });
  });

  it.each<[string, Uint8Array, string]>([
    ['Latin-1', new Uint8Array([0x61, 0x3a, 0x20, 0x62, 0x0a, 0x63, 0x3a, 0x20, 0xe4]), '2:4 encoding'],
    ['UTF-16 that breaks off', utf16(GOOD, true).slice(0, -1), '5:29 encoding'],
    ['UTF-16 without its mark', utf16(GOOD, true).slice(2), '1:1 encoding'],
    ['UTF-16 without its mark, big end first', utf16(GOOD, false).slice(2), '1:1 encoding'],
    ['a control character', new TextEncoder().encode('a: b\nc: \u0007'), '2:4 control-character'],
  ])('%s is a finding', async (_, bytes, place) => {
    const [finding] = await findingsOf(bytes);
    expect(`${finding?.line}:${finding?.column} ${finding?.code}`).toBe(place);
  });

  it('bounds the size of a file', async () => {
    expect((await findingsOf(`# ${'x'.repeat(1_048_576)}`)).map(short)).toEqual([
      '1:1 file-size: The file has more than 1048576 bytes. Make it smaller; data belongs in the database.',
    ]);
  });
});

describe('syntax', () => {
  it.each([
    ['svc: 1\ntool:\n\tname: a\n', '3:1 yaml-syntax'],
    ['svc: 1\ntool:\n  name: [a\n', '4:1 yaml-syntax'],
    ['tool:\n  description: a: b\n', '2:16 yaml-syntax'],
    ['tool:\n  name: @a\n', '2:9 yaml-syntax'],
    ['tool:\n  name: !secret a\n', '2:9 yaml-syntax'],
    ['a: 1\n---\nb: 2\n', '2:1 yaml-documents'],
    ['', '1:1 file-empty'],
    ['# nothing\n', '1:1 file-empty'],
    ['tool:\n  name: a\n  name: b\n', '3:3 duplicate-key'],
    ['tool:\n  name: *none\n', '2:9 yaml-alias'],
    ['tool: &t\n  inner: *t\n', '2:10 yaml-cycle'],
    ['tool:\n  [a, b]: c\n', '2:3 yaml-key'],
    ['tool:\n  __proto__: c\n', '2:3 yaml-proto'],
    ['tool:\n  <<: text\n', '2:7 yaml-merge'],
    ['a: .inf\n', '1:4 yaml-number'],
    ['a: !!binary aGVsbG8=\n', '1:13 yaml-tag'],
    ['a: !!timestamp 2024-01-01\n', '1:16 yaml-tag'],
    ['just text', '1:1 wrong-type'],
    ['- a\n', '1:1 wrong-type'],
  ])('%j', async (text, place) => {
    const [finding] = await findingsOf(text);
    expect(`${finding?.line}:${finding?.column} ${finding?.code}`).toBe(place);
    expect(finding?.message).toMatch(/^\S.*\.$/);
    expect(finding?.fix).toMatch(/^[A-Z].*\.$/);
  });

  it('names the first line of a key that is there twice', async () => {
    const [finding] = await findingsOf('tool:\n  name: a\n  title: x\n  name: b\n');
    expect(finding?.message).toBe('The key "name" is here twice; line 2 has it first.');
  });
});

describe('values', () => {
  const read = (text: string) => {
    const parsed = parseYaml(text);
    return 'yaml' in parsed ? parsed.yaml.value : parsed.problems;
  };

  it('keeps the digits of integers beyond 2^53 as text', () => {
    expect(
      read('[9007199254740991, 9007199254740993, -170141183460469231731687303715884105728, 0x10]'),
    ).toEqual([9007199254740991, '9007199254740993', '-170141183460469231731687303715884105728', 16]);
  });

  it('takes YAML 1.2 at its word: no, on and dates are text', () => {
    expect(read('[no, on, 2024-01-01, 1_000, 012, ~, true, 1.50]')).toEqual([
      'no',
      'on',
      '2024-01-01',
      '1_000',
      12,
      null,
      true,
      1.5,
    ]);
  });

  it('follows aliases and merge keys; what the map itself says wins', () => {
    expect(read('a: &a { x: 1, y: 2 }\nb: { <<: *a, y: 3 }\nc: { <<: [{ z: 0 }, *a], x: 9 }\nd: *a')).toEqual(
      {
        a: { x: 1, y: 2 },
        b: { y: 3, x: 1 },
        c: { x: 9, z: 0, y: 2 },
        d: { x: 1, y: 2 },
      },
    );
  });

  it('follows an alias to the anchor that stands before it, wherever that is', () => {
    expect(read('a: &x 1\nb: &y [*x]\nc: &x 2\nd: *y\ne: *x')).toEqual({ a: 1, b: [1], c: 2, d: [1], e: 2 });
    expect(read('a: &y [&x 1]\nb: &x 2\nc: *y\nd: *x')).toEqual({ a: [1], b: 2, c: [1], d: 2 });
    expect(read('<<: &x { a: 1 }\nb: *x')).toEqual({ a: 1, b: { a: 1 } });
    expect(read('&x name: 1\nb: *x')).toEqual({ name: 1, b: 'name' });
  });

  it('tells of many problems in time that grows with the file', () => {
    // With the square of their number this would take minutes.
    expect(parseYaml('[]: 1\n'.repeat(40_000))).toMatchObject({ problems: expect.any(Array) });
  });

  it('quotes long text only in part', () => {
    const read = parseYaml(`{a}${'%YAML 1.2\n'.repeat(40_000)}`);
    const lengths = ('problems' in read ? read.problems : []).map(({ message }) => message.length);
    expect(Math.max(...lengths)).toBeLessThan(300);
  });

  it.each([
    ['a name', `svc: 1\ntool:\n  name: a\n  ${'x'.repeat(5_000)}: 1\n`],
    ['a value', `svc: 1\ntool:\n  name: a\n  source: { file: ${'x'.repeat(5_000)}.sql }\n`],
  ])('quotes %s of any length only in part in findings', async (_, text) => {
    const findings = await findingsOf(text);
    expect(findings.length).toBeGreaterThan(0);
    for (const { message, fix } of findings) expect(Math.max(message.length, fix.length)).toBeLessThan(1_100);
  });

  it('takes keys as text', () => {
    expect(read('1: a\n1.0: b\ntrue: c\n"": d\nconstructor: e')).toEqual({
      1: 'a',
      '1.0': 'b',
      true: 'c',
      '': 'd',
      constructor: 'e',
    });
  });

  it('knows where the text of each style begins', () => {
    const parsed = parseYaml(
      'p: plain\nq: "quoted"\nb: |\n\n    two\n     lines\nf: >\n  folded\ne: "a\\tb"\nm: one\n  two\n',
    );
    const positions: Positions = 'yaml' in parsed ? parsed.yaml.positions : {};
    expect(positions).toMatchObject({
      '/p': { line: 1, column: 4, verbatim: true },
      '/q': { line: 2, column: 5, verbatim: true },
      '/b': { line: 4, column: 5, verbatim: true },
      '/f': { line: 8, column: 3 },
      '/e': { line: 9, column: 5 },
      '/m': { line: 10, column: 4 },
    });
    for (const pointer of ['/f', '/e', '/m']) expect(positions[pointer]).not.toHaveProperty('verbatim');
  });
});

describe('hostile input ends soon', () => {
  const levels = (open: string, count: number) => open.repeat(count);
  const bomb = [...'bcdefghi'].reduce((text, name, index) => {
    return `${text}${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]\n`;
  }, 'a: &a [x, x, x, x, x, x, x, x, x]\n');

  it.each([
    ['brackets', levels('[', 100_000)],
    ['maps in brackets', levels('{a: ', 60_000)],
    ['dashes', levels('- ', 60_000)],
    ['explicit keys', levels('? ', 60_000)],
    ['anchors', levels('&a ', 60_000)],
    ['quotes', levels('"', 100_000)],
    ['documents', levels('---\n', 60_000)],
    ['an alias bomb', bomb],
    [
      'a chain of aliases',
      Array.from({ length: 5_000 }, (_, at) => `k${at}: &k${at} [*k${at - 1}]`)
        .join('\n')
        .replace('*k-1', ''),
    ],
    ['many keys', Array.from({ length: 60_000 }, (_, at) => `key${at}: 1`).join('\n')],
    ['one key again and again', levels('key: 1\n', 100_000)],
    ['aliases of nothing', `[${levels('*x, ', 60_000)}]`],
  ])('%s', async (_, text) => {
    const findings = await findingsOf(text);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.length).toBeLessThanOrEqual(50);
    for (const { line } of findings) expect(line).toBeGreaterThan(0);
  });
});
