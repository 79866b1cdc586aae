import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json.ts';
import { parseCondition } from '../../../../src/policy/cel/expression.ts';
import { FAILED_REASON } from '../../../../src/policy/decision.ts';
import type { Parameter } from '../../../../src/types/node.ts';
import { ALICE, decide, deny, holds } from '../fixtures.ts';

const TOO_MANY = 'input[0]: the condition takes too many steps';
const items = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Whether a condition over these arguments ends within the budget. */
function ends(condition: string, args: JsonObject, parameters?: readonly Parameter[]) {
  const outcome = holds(condition, { args, ...(parameters === undefined ? {} : { parameters }) });
  return outcome === TOO_MANY ? false : outcome;
}

describe('the budget of a condition', () => {
  it('is 200,000 turns of loops', () => {
    const condition = 'few.all(a, many.all(b, true))';
    expect(ends(condition, { few: items(20), many: items(9_999) })).toBe(true);
    expect(ends(condition, { few: items(20), many: items(10_000) })).toBe(false);
  });

  it.each([
    [9_999, 'Sign in.'],
    [10_000, FAILED_REASON],
  ])('is spent once if the reason of a rule that fails is looked for: %i items', (count, reason) => {
    // Without an address, a second evaluation finds the reason.
    const condition = "user.email >= '' && few.all(a, many.all(b, true))";
    const args = { few: items(20), many: items(count) };
    expect(decide([deny(condition, 'Sign in.')], { args, user: { ...ALICE, email: null } })).toMatchObject({
      outcome: 'deny',
      reason,
    });
  });

  it('is not spent twice', () => {
    const condition = "user.email != '' ? few.all(a, many.all(b, true)) : true";
    const args = { few: items(20), many: items(10_000) };
    const decision = decide([deny(condition, 'Sign in.')], { args, user: { ...ALICE, email: null } });
    expect(decision).toMatchObject({ outcome: 'deny', reason: FAILED_REASON, failure: TOO_MANY });
  });

  it('is new for each condition and each call', () => {
    const args = { few: items(15), many: items(9_999) };
    expect([1, 2, 3].map(() => ends('few.all(a, many.all(b, true))', args))).toEqual([true, true, true]);
  });

  it.each([
    ['a text that is searched', "few.all(a, !text.contains('q'))", 3_000, 6_300],
    ['texts that are joined', 'few.all(a, text + text != "")', 1_400, 3_100],
  ])('is shared with %s', (_, condition, short, long) => {
    const few = items(10_000);
    expect(ends(condition, { few, text: 'x'.repeat(short) })).toBe(true);
    expect(ends(condition, { few, text: 'x'.repeat(long) })).toBe(false);
  });

  it.each([
    ['a list that is searched', 'few.all(a, !(-1 in list))', 1_500, 1_700],
    ['lists that are joined', 'few.all(a, size(list + list) > 0)', 700, 850],
  ])('is shared with %s', (_, condition, short, long) => {
    expect(ends(condition, { few: items(1_000), list: items(short) })).toBe(true);
    expect(ends(condition, { few: items(1_000), list: items(long) })).toBe(false);
  });

  it('takes no more for a list that is only measured', () => {
    expect(ends('few.all(a, size(list) > 0)', { few: items(1_000), list: items(10_000) })).toBe(true);
  });

  it.each([
    ['pattern', "few.all(a, text.matches('^x'))", 1_100, 1_250],
    ['pattern with a great count', "few.all(a, text.matches('^x{1,100}'))", 18, 22],
  ])('is shared with a %s', (_, condition, short, long) => {
    const few = items(10_000);
    expect(ends(condition, { few, text: 'x'.repeat(short) })).toBe(true);
    expect(ends(condition, { few, text: 'x'.repeat(long) })).toBe(false);
  });

  it('is shared with the clocks of zones', () => {
    const condition = "few.all(a, many.all(b, now().getHours('+01:00') >= 0))";
    expect(ends(condition, { few: items(100), many: items(330) })).toBe(true);
    expect(ends(condition, { few: items(100), many: items(335) })).toBe(false);
  });

  it('does not grow with the list that a loop makes', () => {
    const condition = 'size(list.map(a, a + 1).filter(a, a > 0)) == size(list)';
    expect(ends(condition, { list: items(10_000) })).toBe(true);
  });

  it('counts the loops in every part of a condition', () => {
    const loop = 'few.all(a, many.all(b, true))';
    const args = { few: items(21), many: items(9_999), yes: true };
    for (const condition of [
      `!(${loop})`,
      `[${loop}].size() == 1`,
      `{'a': ${loop}}.size() == 1`,
      `{'a': {'b': ${loop}}}.a.b`,
      `(${loop} ? 'a' : 'b').size() == 1`,
      `few.map(a, ${loop}).size() == 21`,
      `[1].exists(x, ${loop})`,
      `string(${loop}).size() == 4`,
      `string(${loop}).contains('true')`,
    ]) {
      expect(ends(condition, args), condition).toBe(false);
    }
    // The library has an error of its own for a key that fails.
    expect(ends(`{string(${loop}): 'a'}.size() == 1`, args)).toBe('input[0]: unsupported key type');
    expect(ends(`{string(${loop}): 'a'}.size() == 1`, { ...args, few: items(2) })).toBe(true);
  });
});

describe('what loops make', () => {
  it.each([
    'list.map(a, a + 1) == [2.0, 3.0, 4.0]',
    'list.filter(a, a > 1).map(a, [a]) == [[2.0], [3.0]]',
    'list.map(a, list.map(b, a * b)) == [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]]',
    'list + [4.0] == [1.0, 2.0, 3.0, 4.0] && list == [1.0, 2.0, 3.0]',
    'list.map(a, list + [a]).map(b, size(b)) == [4, 4, 4]',
    '![list + [0.0]].exists(r, r + [4.0] == r + [5.0])',
    'list.map(r, r + 1) + list.map(r, r - 1) == [2.0, 3.0, 4.0, 0.0, 1.0, 2.0]',
  ])('%s', (condition) => {
    const parameters: readonly Parameter[] = [{ name: 'list', type: 'array', items: { type: 'number' } }];
    expect(holds(condition, { args: { list: [1, 2, 3] }, parameters })).toBe(true);
  });

  it.each([
    'price * 2 == 5.0 && 2 * price == 5.0',
    'price + 1 == 3.5 && 1 + price == 3.5',
    'price - 1 == 1.5 && 1 - price == -1.5',
    'price / 2 == 1.25 && 5 / price == 2.0',
  ])('arithmetic of an integer and another number: %s', (condition) => {
    const parameters: readonly Parameter[] = [{ name: 'price', type: 'number' }];
    expect(holds(condition, { args: { price: 2.5 }, parameters })).toBe(true);
  });
});

describe('the text of a condition', () => {
  const problem = (text: string) => {
    const parsed = parseCondition(text);
    return 'problem' in parsed ? parsed.problem.message : null;
  };

  it('has at most 4,096 characters', () => {
    expect(problem('true'.padEnd(4_096))).toBeNull();
    expect(problem('true'.padEnd(4_097))).toMatch(/has 4097 characters/);
  });

  it('nests at most 64 levels of brackets', () => {
    expect(problem(`${'('.repeat(64)}true${')'.repeat(64)}`)).toBeNull();
    expect(problem(`${'('.repeat(65)}true${')'.repeat(65)}`)).toMatch(/more than 64 levels/);
    expect(problem(`[${'(1), '.repeat(70)}1] != []`)).toBeNull();
    expect(problem(`'a' == 'a' && ${'('.repeat(65)}true${')'.repeat(65)}`)).toMatch(/more than 64 levels/);
  });

  it('nests at most 64 levels of its parts', () => {
    expect(problem(`a${'.b'.repeat(63)}`)).toBeNull();
    expect(problem(`a${'.b'.repeat(64)}`)).toMatch(/more than 64 levels/);
  });

  it.each([
    "'([{' == '([{'",
    '"([{" == "([{"',
    "'\\'([{' == ''",
    '"\\"([{" == ""',
    "'''([{\n''' == ''",
    '"""([{\n""" == ""',
    'true // ([{',
  ])('has no brackets in %j', (text) => {
    const many = Array.from({ length: 40 }, () => `(${text}\n)`).join(' || ');
    expect(problem(many)).toBeNull();
  });

  it.each(['(((', '"""(((', "'''(((", '"(((', "'((("])('may be open at its end: %s', (text) => {
    expect(problem(text)).toMatch(/not a valid CEL expression/);
  });

  it('has its patterns checked in every part', () => {
    for (const text of [
      "!a.matches('(')",
      "[a.matches('(')]",
      "{'k': a.matches('(')}",
      "{a.matches('('): 1}",
      "l.exists(x, x.matches('('))",
      "a.matches('(') ? 1 : 2",
      "f(a.matches('(')).b",
      "a.matches('x').matches('(')",
      "a.matches('(').matches('x')",
    ]) {
      expect(problem(text), text).toMatch(/pattern "\(" is not valid/);
    }
    expect(problem("a.matches('x') && a.find('(')")).toBeNull();
  });
});

describe('the size of a value', () => {
  const node: readonly Parameter[] = [{ name: 'x', type: 'array' }];
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);

  it('is at most 64 levels', () => {
    expect(holds('size(x) == 1', { args: { x: nested(64) }, parameters: node })).toBe(true);
    expect(holds('size(x) == 1', { args: { x: nested(65) }, parameters: node })).toMatch(
      /nested more than 64/,
    );
    const object = JSON.parse(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`);
    const parameters: readonly Parameter[] = [{ name: 'x', type: 'object' }];
    expect(holds('size(x) == 1', { args: { x: object }, parameters })).toMatch(/nested more than 64/);
    expect(holds('size(x) == 1', { args: { x: object.a }, parameters })).toBe(true);
  });

  it.each(['lists', 'objects'])(
    'is at most 64 levels of %s in a claim too, whatever a provider sends',
    (kind) => {
      const [open, close] = kind === 'lists' ? ['[', ']'] : ['{"a":', '}'];
      const deep = JSON.parse(`${open.repeat(100_000)}1${close.repeat(100_000)}`);
      const user = { ...ALICE, claims: { deep } };
      expect(holds('user.claims.deep == 1', { user })).toMatch(/nested more than 64/);
    },
  );

  it.each<[string, string, Parameter['type'], boolean | RegExp]>([
    ['x == 12', '12', 'integer', true],
    ["x == '12'", '12', 'string', true],
    ["x == '1.5'", '1.5', 'integer', true],
    ["x == 'x1'", 'x1', 'integer', true],
    ["x == '1x'", '1x', 'integer', true],
    ['x == 1.5', '1.5', 'number', true],
    ['x == -10.25', '-10.25', 'number', true],
    ['x == 3.0', '3', 'number', true],
    ["x == 'x1.5'", 'x1.5', 'number', true],
    ["x == '1.5x'", '1.5x', 'number', true],
    ["x == '1.'", '1.', 'number', true],
    [`x == '${'1'.repeat(41)}'`, '1'.repeat(41), 'integer', true],
    [`x == '1.${'1'.repeat(41)}'`, `1.${'1'.repeat(41)}`, 'number', true],
  ])('and its type: %s', (condition, value, type, expected) => {
    expect(holds(condition, { args: { x: value }, parameters: [{ name: 'x', type }] })).toBe(expected);
  });

  it('of a declared integer with a fraction stays a number', () => {
    const parameters: readonly Parameter[] = [{ name: 'x', type: 'integer' }];
    expect(holds('x == 1.5', { args: { x: 1.5 }, parameters })).toBe(true);
  });

  it('knows the declared types of objects in lists', () => {
    const parameters: readonly Parameter[] = [
      { name: 'x', type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    ];
    expect(holds('x[0].n % 2 == 1', { args: { x: [{ n: 3 }] }, parameters })).toBe(true);
  });
});
