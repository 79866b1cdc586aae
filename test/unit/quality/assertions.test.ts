import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json.ts';
import type { EndpointTest } from '../../../src/project/model.ts';
import { checkAssertions } from '../../../src/quality/test/assertions.ts';

type Assertions = Partial<EndpointTest>;

const check = (assertions: Assertions, value: JsonValue) =>
  checkAssertions({ name: 'one', arguments: [], ...assertions }, value);

const ADA = { name: 'Ada', city: 'London', address: { street: 'A', zip: null } };
const BOB = { name: 'Bob', city: 'Paris' };

const HOLD: readonly (readonly [Assertions, JsonValue])[] = [
  [{}, null],
  [{ result: null }, null],
  [{ result: 0 }, 0],
  [{ result: [] }, []],
  [{ result: { b: [1, { c: 2 }], a: null } }, { a: null, b: [1, { c: 2 }] }],
  [{ result_contains: { name: 'Ada', address: { zip: null, street: 'A' } } }, ADA],
  [{ result_contains: { name: 'Bob' } }, [ADA, BOB]],
  [{ result_contains: 2 }, [1, 2]],
  [{ result_contains: 'ell' }, 'hello'],
  [{ result_contains: 7 }, 7],
  [{ result_contains: null }, null],
  [{ result_not_contains: ['salary', 'address.salary', 'name.first'] }, ADA],
  [{ result_not_contains: ['salary'] }, [ADA, BOB]],
  [{ result_not_contains: ['salary'] }, []],
  [{ result_contains_item: { city: 'Paris' } }, [ADA, BOB]],
  [{ result_contains_item: [1] }, [[1], [2]]],
  [{ result_contains_all: [{ city: 'Paris' }, { city: 'London' }] }, [ADA, BOB]],
  [{ result_contains_all: [] }, []],
  [{ result_length: 0 }, []],
  [{ result_length: 2 }, [null, null]],
  [{ result_contains_text: 'Lon' }, [ADA]],
  [{ result_contains_text: '"city":"London"' }, ADA],
  [{ result_contains_text: 'two\nlines "quoted"' }, [{ text: 'in two\nlines "quoted".' }]],
  [{ result_contains: { name: 'Ada' }, result_not_contains: ['salary'], result_contains_text: 'zip' }, ADA],
];

const FAIL: readonly (readonly [Assertions, JsonValue, string])[] = [
  [{ result: null }, 0, 'result: differs from what was expected\n- null\n+ 0'],
  [{ result: false }, null, 'result: differs from what was expected\n- false\n+ null'],
  [{ result: '5' }, 5, 'result: differs from what was expected\n- "5"\n+ 5'],
  [
    { result: [{ n: 1, gone: true }, { n: 2 }] },
    [{ n: 1 }, { n: 3, more: 'x' }],
    'result: differs from what was expected\n- [0].gone: true\n- [1].n: 2\n+ [1].n: 3\n+ [1].more: "x"',
  ],
  [
    { result_contains: { name: 'Ida', age: 3 } },
    ADA,
    'result_contains: does not hold\n- name: "Ida"\n+ name: "Ada"\n- age: 3',
  ],
  [
    { result_contains: { address: { street: 'A' } } },
    ADA,
    'result_contains: does not hold\n+ address.zip: null',
  ],
  [
    { result_contains: { name: 'Eve' } },
    [BOB],
    'result_contains: no item of the list is or has\n- {"name":"Eve"}\n+ {"name":"Bob","city":"Paris"}',
  ],
  [{ result_contains: 'x' }, 'hello', 'result_contains: does not hold\n- "x"\n+ "hello"'],
  [{ result_contains: { toString: 1 } }, {}, 'result_contains: does not hold\n- toString: 1'],
  [
    { result_not_contains: ['city', 'address.zip', 'x'] },
    ADA,
    'result_not_contains: the result has city, address.zip',
  ],
  [{ result_not_contains: ['address.zip'] }, [BOB, ADA], 'result_not_contains: the result has address.zip'],
  [{ result_not_contains: ['ssn'] }, [{ SSN: 1 }], 'result_not_contains: the result has ssn'],
  [
    { result_not_contains: ['SSN', 'A.Zip'] },
    [{ ssn: 1, a: { ZIP: 1 } }],
    'result_not_contains: the result has SSN, A.Zip',
  ],
  [{ result_not_contains: ['x'] }, 'text', 'result_not_contains: the result has no fields\n+ "text"'],
  [
    { result_contains_item: { name: 'Eve' } },
    [],
    'result_contains_item: no item of the list is or has\n- {"name":"Eve"}\n  the list is empty',
  ],
  [{ result_contains_item: 1 }, { a: 1 }, 'result_contains_item: the result is not a list\n+ {"a":1}'],
  [
    { result_contains_all: [1, 2, 3] },
    [2],
    'result_contains_all: no item of the list is or has\n- 1\n- 3\n+ 2',
  ],
  [{ result_length: 1 }, [], 'result_length: differs from what was expected\n- 1\n+ 0'],
  [{ result_length: 3 }, 'abc', 'result_length: the result is not a list\n+ "abc"'],
  [{ result_contains_text: 'x' }, [1], 'result_contains_text: does not hold\n- "x"\n+ [1]'],
  [{ result_length: 1, result_contains_text: 'x' }, [1], 'result_contains_text: does not hold\n- "x"\n+ [1]'],
];

describe('checkAssertions', () => {
  // Requirements: endpoint.tests
  it.each(HOLD)('holds: %j of %j', (assertions, value) => {
    expect(check(assertions, value)).toBeNull();
  });

  it.each(FAIL)('fails: %j of %j', (assertions, value, message) => {
    expect(check(assertions, value)).toBe(message);
  });

  it('shows the first differences of many, and long values shortened', () => {
    const many = Array.from({ length: 20 }, (_, index) => index);
    const message = check({ result: many }, [...many].reverse()) ?? '';
    expect(message.split('\n')).toHaveLength(18);
    expect(message).toMatch(/and 12 more$/);
    expect((check({ result: 'x'.repeat(1_000) }, 'y') ?? '').length).toBeLessThan(300);
  });
});
