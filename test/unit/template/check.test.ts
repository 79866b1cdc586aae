import { describe, expect, it } from 'vitest';
import { checkTemplate } from '../../../src/template/check.ts';

const DECLARED = ['name', 'items', 'count'];
const problems = (text: string) => checkTemplate(text, DECLARED);

describe('templates without a problem', () => {
  it.each([
    'plain { text } 100%',
    'Hello {{ name }}, {{ items|length }} of {{ count }}',
    '{% for i in items %}{{ loop.index }} {{ i.anything.below }}{% endfor %}',
    '{% for k, v in items.items() if k %}{{ k }}{{ v }}{% else %}{{ name }}{% endfor %}',
    '{% set x = name %}{{ x }}{% set a, b = [1, 2] %}{{ a }}{{ b }}{% set c %}{{ x }}{% endset %}{{ c }}',
    '{% set ns = namespace(n=1) %}{% set ns.n = 2 %}{{ ns.n }}{{ range(3) }}{{ dict(a=1) }}',
    '{% macro m(p, q=name) %}{{ p }}{{ q }}{{ varargs }}{{ kwargs }}{{ caller }}{% endmacro %}{{ m(1, q=2) }}',
    '{% macro m() %}{{ caller(1) }}{% endmacro %}{% call(v) m() %}{{ v }}{% endcall %}',
    '{{ name is defined and name is not none }}{{ true }}{{ None }}{{ {"k": name}["k"] }}{{ items[count:] }}',
    '{% for i in items %}{% if i %}{% break %}{% else %}{% continue %}{% endif %}{% endfor %}',
    '{% filter upper %}{{ name }}{% endfilter %}{{ items|sort(attribute="x")|map("upper")|join(", ") }}',
    '{# {{ nothing }} #}',
    '{{ (count < 2) == (2 > 1) }}{{ 1 < 2 and 2 < 3 }}{{ 1 < 2 if 2 > 1 else 3 > 2 }}{{ [1 < 2, 2 < 3] }}',
    '{% for i in items if i > 1 %}{{ i not in items or i in [1 < 2] }}{{ {"a": 1 < 2, "b": 2 < 3} }}{% endfor %}',
    '{% set x = 1 < 2 %}{{ items|select("gt", 1 < 2)|join(1 < 2) }}{{ x.in }}{{ items[1 < 2:2 < 3] }}',
  ])('%s', (text) => {
    expect(problems(text)).toEqual([]);
  });
});

describe('names that nothing provides', () => {
  it.each([
    ['Dear {{ nmae }}', /uses "nmae", which is not a parameter/, 'Did you mean "name"?', 8],
    [
      '{{ name }}{{ zzzz.y }}',
      /uses "zzzz"/,
      'Declare "zzzz" under parameters, or set it in the template.',
      13,
    ],
    ['{{ missing is defined }}', /uses "missing"/, /Declare/, 3],
    ['{{ missing|default("x") }}', /uses "missing"/, /Declare/, 3],
    ['{% for x in items %}{% endfor %}{{ x }}', /uses "x"/, /Declare/, 7],
    ['{% for i in items %}{% else %}{{ loop.index }}{% endfor %}', /uses "loop"/, /Declare/, 33],
    ['{% for i in items %}{% set late = 1 %}{% endfor %}{{ late }}', /uses "late"/, /Declare/, 27],
    ['{{ late }}{% set late = 1 %}', /uses "late"/, /Declare/, 3],
    ['{% macro m(p) %}{% endmacro %}{{ p }}', /uses "p"/, /Declare/, 11],
    ['{{ items[other] }}', /uses "other"/, /Declare/, 9],
    ['{{ name|join(sep) }}', /uses "sep"/, /Declare/, 13],
    ['{% set o.x = 1 %}', /uses "o"/, /Declare/, 7],
    ['{{ name|uper }}', /no filter "uper"/, 'Did you mean "upper"?', 8],
    ['{{ name|xyzzy }}', /no filter "xyzzy"/, /^Use one of: upper, /, 8],
    ['{% filter nope %}{% endfilter %}', /no filter "nope"/, /./, 10],
    ['{{ name is strng }}', /no test "is strng"/, 'Did you mean "string"?', 11],
    ['{{ __proto__ }}', /uses "__proto__"/, /Declare/, 3],
    ['{{ name|constructor }}', /no filter "constructor"/, /./, 8],
  ])('%s', (text, message, fix, offset) => {
    const found = problems(text);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toMatch(message);
    expect(found[0]?.fix).toMatch(fix);
    expect(found[0]?.offset).toBe(offset);
  });

  it('are named once each', () => {
    expect(problems('{{ a }}{{ a }}{{ b }}{{ a|x }}{{ b|x }}').map(({ message }) => message)).toHaveLength(3);
  });
});

describe('templates that are not valid', () => {
  it.each([
    ['{{ name', /is not closed/, 0],
    ['a {{ name }} {{ "x', /is not closed/, 13],
    ['{% if name %} {{ name }}', /is not closed/, 14],
    ['{{ name }}{# open', /is not closed/, 10],
    ['{{ }}', /"}}" is not expected there/, 0],
    ['{{ name }} {{ [1, 2 }}', /"}}" is not expected there/, 11],
    ['{{ name other }}', /"}}" is expected, not a name/, 0],
    ['{{ name is divisibleby(3) }}', /"}}" is expected, not "\("/, 0],
    ['{% for x of items %}{% endfor %}', /`in` keyword/, 0],
    ['{{ name ? 1 : 2 }}', /unexpected character: \?/, 0],
    ['{{ name }}{{ größe }}', /names of other letters/, 10],
    ['{{ name }}{% include "x" %}', /no tag \{% include %\}/, 10],
    ['{% raw %}{% endraw %}', /no tag \{% raw %\}/, 0],
    ['{{ name }}{% endif %}', /\{% endif %\} has no open block/, 10],
    ['{{ name }}{% if 0 < count < 50 %}x{% endif %}', /chains comparisons/, 10],
    ['{{ 1 < 2 == true }}', /chains comparisons/, 0],
    ['{{ 1 in [1] not in [[1]] }}', /chains comparisons/, 0],
    ['{{ name }}{{ (1 + (1 == 2 != (3 < 4))) }}', /chains comparisons/, 10],
    ['{% break %}', /break %} outside of a loop/, undefined],
    [
      '{% for x in items %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}',
      /break %} outside of a loop/,
      undefined,
    ],
    ['{{ items|join(",")[0] }}', /filter that is more than a name/, undefined],
    [`{{ ${'('.repeat(50_000)} }}`, /nested too deep/, 0],
    ['x'.repeat(65_537), /65537 characters; at most 65536/, undefined],
    [`a${' '.repeat(1001)}b`, /run of more than 1000 blanks/, 1],
  ])('%s', (text, message, offset) => {
    const found = problems(text);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toMatch(message);
    expect(found[0]?.fix).toMatch(/^[A-Z].*[.?]$/);
    expect(found[0]?.offset).toBe(offset);
  });
});
