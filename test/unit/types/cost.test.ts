import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json.ts';
import type { Parameter, TypeNode } from '../../../src/types/node.ts';
import { createArgumentsParser, createValidator } from '../../../src/types/validate.ts';
import { cpuMs } from '../cpu.ts';
import { createRandom } from './random.ts';

function timed<T>(run: () => T): { readonly result: T; readonly ms: number } {
  const start = cpuMs();
  const result = run();
  return { result, ms: cpuMs() - start };
}

const parserOf = (node: TypeNode) => createArgumentsParser([{ name: 'x', ...node } as Parameter]);

describe('the texts of one call take little time together', () => {
  const listOf = (pattern: string): TypeNode => ({ type: 'array', items: { type: 'string', pattern } });

  it.each([
    ['[a-z]{1,100}[0-9]{4}', '1234'],
    ['^.*[a-z]{1,63}[.]example[.]org$', '.example.org'],
    ['^([a-z0-9-]{1,63}[.])*[a-z]+$', ''],
  ])('that match %s', (pattern, end) => {
    const texts = Array.from({ length: 100 }, () => `${'a'.repeat(10_000)}${end}`);
    const { result, ms } = timed(() => parserOf(listOf(pattern))({ x: texts }));
    expect(result.ok).toBe(true);
    expect(ms).toBeLessThan(1_500);
  });

  it('and texts that would take more are refused, in each call alike', () => {
    const random = createRandom(5);
    const text = (length: number) => Array.from({ length }, () => random.pick(['a', 'b'])).join('');
    const texts = [text(100), ...Array.from({ length: 12 }, () => text(20_000))];
    const parse = parserOf(listOf('a[ab]{100}c|^[ab]+$'));
    const { result, ms } = timed(() => parse({ x: texts }));
    expect(ms).toBeLessThan(2_500);
    const issues = result.ok ? [] : result.issues;
    expect(issues.slice(0, 3)).toEqual([
      { path: 'x[1]', message: 'is too long to be checked against its pattern' },
      { path: 'x[2]', message: 'is too long to be checked against its pattern after the texts before it' },
      { path: 'x[3]', message: 'is too long to be checked against its pattern after the texts before it' },
    ]);
    expect(parse({ x: texts })).toEqual(result);
    expect(parse({ x: texts.slice(0, 1) }).ok).toBe(true);
  });

  it('and ordinary results pass', () => {
    const rows: readonly JsonValue[] = Array.from({ length: 10_000 }, (_, row) => ({
      code: `ABC-${1_000 + (row % 9_000)}`,
      email: `first.last${row}@example.org`,
      note: 'Ordered on the phone, delivered on Monday. '.repeat(5),
    }));
    const returns: TypeNode = {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          code: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' },
          email: { type: 'string', pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' },
          note: { type: 'string', pattern: '\\b(Friday|Saturday|Sunday|Monday)\\b.*[.] $' },
        },
      },
    };
    const { result, ms } = timed(() => createValidator(returns, 'output')(rows));
    expect(result.ok).toBe(true);
    expect(ms).toBeLessThan(5_000);
  });
});

it('wrong names take little time, wherever they are', () => {
  const names = Array.from({ length: 40 }, (_, index) => `customer_property_number_${index}`);
  const object: TypeNode = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  };
  const listOf = (items: TypeNode): TypeNode => ({ type: 'array', items });
  const ten = (value: JsonValue) => Array.from({ length: 10 }, () => value);
  const wrong = Object.fromEntries(
    names.slice(0, 10).map((name, index) => [`${index}_${name.replace('_property', '_propertys')}`, 1]),
  );
  const parse = parserOf(listOf(listOf(listOf(object))));
  const { result, ms } = timed(() => parse({ x: ten(ten(ten(wrong))) }));
  expect(ms).toBeLessThan(2_000);
  const messages = result.ok ? [] : result.issues.map(({ message }) => message);
  expect(messages).toHaveLength(50);
  for (const message of messages) expect(message).toContain('did you mean "customer_property_number_');
});
