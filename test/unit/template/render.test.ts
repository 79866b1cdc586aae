import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/json.ts';
import { compileTemplate, renderTemplate } from '../../../src/template/render.ts';
import { cpuMs } from '../cpu.ts';

const render = (text: string, values: JsonObject = {}) => renderTemplate(compileTemplate(text), values);

const DATA: JsonObject = {
  name: 'ann lee',
  nothing: null,
  yes: true,
  n: 7,
  list: [3, 1, 2],
  words: ['pear', 'Apple', 'fig'],
  people: [
    { name: 'Bo', age: 30, address: { city: 'Bern' } },
    { name: 'Al', age: 20, address: { city: 'Ulm' } },
  ],
  prices: { tea: 2.5, cake: 4 },
};

describe('what a template can do', () => {
  it.each([
    ['text as it is', 'a < b & "c"', 'a < b & "c"'],
    ['variables', '{{ name }}, {{ n }}, {{ yes }}', 'ann lee, 7, true'],
    [
      'nothing for what is not there',
      '[{{ nothing }}{{ missing }}{{ missing.deeper.still }}{{ nothing.x }}]',
      '[]',
    ],
    ['lists and objects as JSON', '{{ list }} {{ prices }}', '[3,1,2] {"tea":2.5,"cake":4}'],
    [
      'members',
      '{{ people[0].name }} {{ people[1]["address"].city }} {{ list[-1] }} {{ list.0 }}',
      'Bo Ulm 2 3',
    ],
    [
      'slices',
      '{{ "abcdef"[1:3] }} {{ list[1:] }} {{ "abc"[::-1] }} {{ list[:-1] }} {{ "abcdef"[4:1:-2] }}',
      'bc [1,2] cba [3,1] ec',
    ],
    [
      'arithmetic',
      '{{ 7 / 2 }} {{ 7 // 2 }} {{ -7 % 3 }} {{ 2 ** 3 }} {{ 1 + 2 * 3 }} {{ -n }}',
      '3.5 3 2 8 7 -7',
    ],
    [
      'texts together',
      '{{ "a" ~ 1 ~ none }} {{ "a" + "b" }} {{ "ab" * 2 }} {{ [1] + [2] }}',
      'a1 ab abab [1,2]',
    ],
    [
      'comparison',
      '{{ 1 < 2 }} {{ "a" >= "b" }} {{ 1 == "1" }} {{ [1] == [1] }} {{ {"a": 1} != {"a": 1} }}',
      'true false false true false',
    ],
    [
      'logic',
      '{{ yes and n }} {{ nothing or "x" }} {{ not yes }} {{ 2 in list }} {{ "z" not in "abc" }} {{ "tea" in prices }}',
      '7 x false true true true',
    ],
    ['ternaries', '{{ "a" if yes else "b" }}{{ "c" if nothing }}', 'a'],
    ['conditionals', '{% if n > 9 %}a{% elif n > 5 %}b{% else %}c{% endif %}', 'b'],
    [
      'loops',
      '{% for x in list %}{{ loop.index }}:{{ x }}{% if not loop.last %},{% endif %}{% endfor %}',
      '1:3,2:1,3:2',
    ],
    [
      'loops over nothing',
      '{% for x in missing %}x{% else %}none{% endfor %}{% for x in nothing %}x{% endfor %}',
      'none',
    ],
    [
      'loops over objects',
      '{% for k, v in prices.items() %}{{ k }}={{ v }};{% endfor %}{% for k in prices %}{{ k }}{% endfor %}',
      'tea=2.5;cake=4;teacake',
    ],
    ['loops with a condition', '{% for x in list if x > 1 %}{{ x }}{% endfor %}', '32'],
    [
      'loop state',
      '{% for x in "ab" %}{{ loop.first }}{{ loop.revindex }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle("o", "e") }} {% endfor %}',
      'true22bo false12ae ',
    ],
    [
      'leaving loops',
      '{% for i in range(9) %}{% if i == 1 %}{% continue %}{% endif %}{% if i > 3 %}{% break %}{% endif %}{{ i }}{% endfor %}',
      '023',
    ],
    [
      'loops of their own scope',
      '{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}{{ i }}',
      '1',
    ],
    [
      'set',
      '{% set a = 1 %}{% set b, c = [2, 3] %}{% set d %}<{{ a }}>{% endset %}{{ a }}{{ b }}{{ c }}{{ d }}',
      '123<1>',
    ],
    [
      'namespaces',
      '{% set ns = namespace(n=0) %}{% for i in range(4) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}',
      '6',
    ],
    ['range', '{{ range(3) }}{{ range(1, 6, 2) }}{{ range(3, 0, -1) }}', '[0,1,2][1,3,5][3,2,1]'],
    [
      'macros',
      '{% macro hi(who, how="Hi") %}{{ how }} {{ who }}.{% endmacro %}{{ hi("A") }}{{ hi("B", how="Yo") }}{{ hi(who="C") }}',
      'Hi A.Yo B.Hi C.',
    ],
    [
      'call blocks',
      '{% macro box(t) %}[{{ t }}:{{ caller("x") }}]{% endmacro %}{% call(v) box("b") %}<{{ v }}>{% endcall %}',
      '[b:<x>]',
    ],
    ['filter blocks', '{% filter upper %}{{ name }}{% endfilter %}', 'ANN LEE'],
    [
      'tests',
      '{{ missing is defined }} {{ nothing is none }} {{ n is odd }} {{ n is not string }} {{ prices is mapping }} {{ list is sequence }}',
      'false true true true true true',
    ],
    ['comments', 'a{# {{ nothing }} #}b', 'ab'],
    ['blanks taken out on request', 'a \n {%- if yes -%} \n b \n {%- endif %} c', 'ab c'],
    ['blanks kept otherwise', 'a\n{% if yes %}\nb\n{% endif %}\n', 'a\n\nb\n'],
    [
      'text methods',
      '{{ "a,b".split(",") }} {{ name.upper() }} {{ name.startswith("ann") }} {{ " x ".strip() }} {{ "aXbX".replace("X", "-", 1) }}',
      '["a","b"] ANN LEE true x a-bX',
    ],
    [
      'object methods',
      '{{ prices.keys() }} {{ prices.values() }} {{ prices.get("tea") }} {{ prices.get("x", 0) }}',
      '["tea","cake"] [2.5,4] 2.5 0',
    ],
    [
      'arguments unpacked',
      '{% macro f(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ f(*[1, 2]) }}{{ f(**{"a": 3, "b": 4}) }}',
      '1234',
    ],
    ["data that has a method's name", '{{ d.items }} {{ d["get"] }}', '1 2'],
  ])('%s', (_, template, expected) => {
    expect(render(template, { ...DATA, d: { items: 1, get: 2 } })).toBe(expected);
  });
});

describe('filters', () => {
  it.each([
    ['{{ name|upper }}', 'ANN LEE'],
    ['{{ "ABC"|lower }}', 'abc'],
    ['{{ "it\'s a HELLO-world (ok)"|title }}', "It's A Hello-World (Ok)"],
    ['{{ "  a b "|trim }}|{{ "xxaxx"|trim("x") }}', 'a b|a'],
    [
      '{{ missing|default("d") }}{{ nothing|default("e") }}{{ ""|default("f") }}{{ ""|default("g", true) }}{{ missing|default }}{{ n|d(1) }}',
      'deg7',
    ],
    [
      '{{ list|join(", ") }} {{ list|join }} {{ people|join("+", attribute="name") }} {{ [none, true, 1.5]|join("/") }}',
      '3, 1, 2 312 Bo+Al /true/1.5',
    ],
    [
      '{{ list|length }} {{ name|length }} {{ prices|length }} {{ missing|length }} {{ list|count }}',
      '3 7 2 0 3',
    ],
    ['{{ list|first }} {{ name|first }} {{ []|first }}.', '3 a .'],
    ['{{ list|last }} {{ name|last }} {{ missing|last }}.', '2 e .'],
    [
      '{{ "a-b-c"|replace("-", "+") }} {{ "a-b-c"|replace("-", "+", 1) }} {{ 1213|replace("1", "x") }} {{ "a$&b"|replace("b", "$&") }}',
      'a+b+c a+b-c x2x3 a$&$&',
    ],
    [
      '{{ list|sort }} {{ list|sort(reverse=true) }} {{ words|sort }} {{ words|sort(case_sensitive=true) }} {{ people|sort(attribute="age")|map(attribute="name")|join }}',
      '[1,2,3] [3,2,1] ["Apple","fig","pear"] ["Apple","fig","pear"] AlBo',
    ],
    [
      '{{ list|reverse }} {{ "abc"|reverse }} {{ [1, 2, 1]|unique }} {{ list|sum }} {{ list|min }} {{ list|max }}',
      '[2,1,3] cba [1,2] 6 1 3',
    ],
    [
      '{{ people|map(attribute="address.city")|join(",") }} {{ words|map("upper")|join(",") }}',
      'Bern,Ulm PEAR,APPLE,FIG',
    ],
    [
      '{{ people|selectattr("age", "gt", 25)|map(attribute="name")|first }} {{ people|rejectattr("age", "eq", 20)|length }} {{ [0, 1, 2]|select|length }} {{ list|reject("odd")|list }}',
      'Bo 1 2 [2]',
    ],
    [
      '{{ "4.7"|int }} {{ "x"|int(9) }} {{ "1.5"|float }} {{ -3|abs }} {{ 2.456|round(2) }} {{ 2.1|round(0, "ceil") }} {{ 5|string }}',
      '4 9 1.5 3 2.46 3 5',
    ],
    [
      '{{ prices|tojson }} {{ prices|items|list }} {{ prices|dictsort }}',
      '{"tea":2.5,"cake":4} [["tea",2.5],["cake",4]] [["cake",4],["tea",2.5]]',
    ],
    [
      '{{ "a\nb"|indent(2) }} {{ "one two three"|truncate(9) }} {{ "a b  c"|wordcount }} {{ "hELLO"|capitalize }}',
      'a\n  b one... 3 Hello',
    ],
    [
      '{{ "<a href=\'x\'>"|escape }} {{ "a b/ü"|urlencode }} {{ "<b>"|safe }}',
      '&lt;a href=&#39;x&#39;&gt; a%20b%2F%C3%BC <b>',
    ],
    [
      '{{ "10 apples"|int }} {{ "10 apples"|int(7) }} {{ "1.5x"|float(2) }} {{ " 5 "|int }} {{ ".5e1"|float }} {{ "0x1f"|int }}',
      '0 7 2 5 5 0',
    ],
    [
      '{{ "0x1A"|int(0, 16) }} {{ "1a"|int(base=16) }} {{ "-0b11"|int(0, 2) }} {{ " 0O17 "|int(0, 8) }} {{ "zz"|int(0, 36) }} {{ "0b1"|int(0, 16) }}',
      '26 26 -3 15 1295 177',
    ],
    [
      '{{ "9"|int(7, 8) }} {{ "3.7"|int(0, 16) }} {{ "0x1A"|int(7, 8) }} {{ ""|int(7, 16) }} {{ "0x"|int(7, 16) }} {{ "12"|int(7, 1) }} {{ 12.5|int(0, 16) }} {{ "0x1A"|int(7, 0) }} {{ "12"|int(7, 0) }} {{ "x"|int(base=16) }} {{ "0"|int(5, 1) }}',
      '9 3 7 7 7 12 12 26 12 0 0',
    ],
    [
      '{{ {"a": "1 2", "b/c": "x&y", "n": 5}|urlencode }} {{ [["a", "é"], ["a", "+"]]|urlencode }} [{{ {}|urlencode }}]',
      'a=1+2&b%2Fc=x%26y&n=5 a=%C3%A9&a=%2B []',
    ],
    [
      '{{ "ab"|replace("", "-") }} {{ "ab"|replace("", "-", 2) }} {{ "ab".replace("", "-", 0) }} {{ ""|replace("", "-") }} {{ "😀é"|replace("", "-") }} {{ "aaa"|replace("a", "b", 2) }}',
      '-a-b- -a-b ab - -😀-é- bba',
    ],
    [
      '{{ [1, 2] < [1, 3] }} {{ [1] < [1, 0] }} {{ [2] > [1, 9] }} {{ [] <= [] }} {{ ["a", [1]] >= ["a", [2]] }} {{ [1, "a"] < [2, 0] }}',
      'true true true true false true',
    ],
    [
      '{{ [[2, 1], [1, 3], [1, 2]]|sort }} {{ [[2], [1, 5]]|min }} {{ [[1, 2]]|select("lt", [1, 3])|list }}',
      '[[1,2],[1,3],[2,1]] [1,5] [[1,2]]',
    ],
    [
      '{{ list|sum(start=10) }} {{ people|sum("age", 1) }} {{ (people|max(attribute="age")).name }} {{ (people|min(attribute="age")).name }}',
      '16 51 Bo Al',
    ],
    [
      '{{ ["a", "B", "A"]|unique }} {{ ["a", "A", "a"]|unique(true) }} {{ [{"k": 1, "v": 1}, {"k": 1, "v": 2}]|unique(attribute="k") }}',
      '["a","B"] ["a","A"] [{"k":1,"v":1}]',
    ],
    [
      '{{ {"b": 1, "A": 2}|dictsort }} {{ {"b": 1, "A": 2}|dictsort(true) }} {{ prices|dictsort(by="value") }} {{ prices|dictsort(reverse=true) }}',
      '[["A",2],["b",1]] [["A",2],["b",1]] [["tea",2.5],["cake",4]] [["tea",2.5],["cake",4]]',
    ],
  ])('%s', (template, expected) => {
    expect(render(template, DATA)).toBe(expected);
  });
});

describe('what docs/reference/templates.md says of differences from Jinja', () => {
  it.each([
    ['[{{ nothing }}{{ nothing.y.z }}{% for a in nothing %}x{% endfor %}]', '[]'],
    ['{{ true }} {{ [1, "a"] }} {{ {"a": none} }} {{ 6 / 2 }}', 'true [1,"a"] {"a":null} 3'],
    ['{{ none|default("a") }} {{ 2.5|round }} {{ 3.5|round }} {{ -2.5|round }}', 'a 3 4 -3'],
    [
      '{{ "one two"|truncate(5) }} {{ "a/b"|urlencode }} {{ {"a": "<b>"}|tojson }}',
      'on... a%2Fb {"a":"<b>"}',
    ],
    [
      '{{ true == 1 }} {{ (1 < 2) == true }} {{ 2.0 }} {{ 2.0 is integer }} {{ "x" + 1 }}',
      'false true 2 true x1',
    ],
    ['{{ "hello-world foo"|wordcount }} {{ "a!b (c)"|urlencode }} {{ "a" * 3 }}', '2 a!b%20(c) aaa'],
    ['{{ {"a": none}|urlencode }}', 'a='],
    ['{{ ["a", none]|join(",") }} {{ range(3) }} {{ [1, 2]|reverse }}', 'a, [0,1,2] [2,1]'],
  ])('%s', (template, expected) => {
    expect(render(template, DATA)).toBe(expected);
  });
});

describe('what docs/reference/templates.md says cannot be rendered', () => {
  it.each([
    ['{{ 3 * "a" }}', 'a string is not a number'],
    ['{{ [1] < 2 }}', 'a list is not a number'],
    ['{{ [1] < ["a"] }}', 'a number and a string cannot be ordered'],
    ['{{ ["a"]|urlencode }}', 'urlencode of a list takes pairs'],
    ['{{ "a"|replace }}', 'replace() needs a text to look for'],
    ['{{ [1] * 2 }}', 'a list is not a number'],
    ['{{ "%s" % 5 }}', 'a string is not a number'],
    ['{% for a in list %}{{ loop.changed(a) }}{% endfor %}', 'an undefined value cannot be called'],
    ['{% set x = {"items": 1} %}{{ x.items() }}', 'a number cannot be called'],
  ])('%s', (template, message) => {
    expect(() => render(template, DATA)).toThrow(message);
  });

  it.each([
    '{% raw %}x{% endraw %}',
    '{% include "x" %}',
    '{% with a = 1 %}{{ a }}{% endwith %}',
    '{% do list.append(1) %}',
    '{% for a in list recursive %}{% endfor %}',
    '{% if true +%}x{% endif %}',
    '{{ n is divisibleby(3) }}',
    '{{ n is in list }}',
    '{{ n is eq(1) }}',
    '{{ 1e3 }}',
    '{{ 1_000 }}',
    '{{ (1,) }}',
    '{{ 0 < n < 50 }}',
  ])('%s', (template) => {
    expect(() => compileTemplate(template)).toThrow();
  });
});

describe('characters beyond 16 bits', () => {
  it.each([
    ['{{ "é😀x"[1] }}{{ "é😀x"[-2] }}{{ "é😀x".1 }}', '😀😀😀'],
    ['{{ "😀😀😀😀"|truncate(3, true, "") }} {{ "😀😀"|truncate(2) }}', '😀😀😀 😀😀'],
    ['{{ "😁a😁"|trim("😀") }} {{ "😀a😀"|trim("😀") }}{{ "😀😁😀".lstrip("😀") }}', '😁a😁 a😁😀'],
  ])('stay whole in %s', (template, expected) => {
    expect(render(template)).toBe(expected);
  });
});

describe('the sandbox', () => {
  it.each([
    '{{ x.constructor }}',
    '{{ x.__proto__ }}{{ x["__proto__"] }}{{ x.hasOwnProperty }}',
    "{{ ''.__class__ }}{{ ''.__class__.__mro__ }}{{ ''.constructor }}{{ ''['constructor'] }}",
    '{{ [].constructor }}{{ [].map }}{{ [].length }}{{ (1).constructor }}{{ true.valueOf }}',
    '{{ range.constructor }}{{ range.call }}{{ namespace.prototype }}',
    '{{ namespace().get }}{{ namespace().constructor }}{{ namespace().__proto__ }}',
    '{{ prices.items.constructor }}{{ "".upper.bind }}',
    '{{ process }}{{ globalThis }}{{ self }}{{ fetch }}{{ constructor }}{{ __proto__ }}{{ toString }}',
    '{{ x|map(attribute="constructor")|join }}{{ [x]|map(attribute="__proto__")|join }}',
    '{% macro m() %}{% endmacro %}{{ m.constructor }}{{ m.prototype }}{{ loop }}{{ caller }}',
  ])('gives nothing away: %s', (template) => {
    expect(render(template, { x: {}, prices: {} })).toBe('');
  });

  it('calls nothing but its own functions', () => {
    for (const template of [
      "{{ x.constructor('return 1')() }}",
      '{{ "".constructor("x") }}',
      '{{ x.toString() }}',
      '{{ n() }}',
    ]) {
      expect(() => render(template, { x: {}, n: 1 })).toThrow(/cannot be called/);
    }
  });

  it('shows no function, not even its own', () => {
    for (const template of [
      '{{ range }}',
      '{{ "".upper }}',
      '{{ [range] }}',
      '{% macro m() %}{% endmacro %}{{ m }}',
    ]) {
      expect(() => render(template)).toThrow(/cannot be shown/);
    }
  });

  it("reads the data's own keys, whatever they are called", () => {
    const x = JSON.parse('{"__proto__": "a", "constructor": "b"}');
    expect(render('{{ x.__proto__ }}{{ x.constructor }}', { x })).toBe('ab');
    expect(render('{% set x = {"__proto__": {"y": 1}} %}{{ x.y }}{{ x["__proto__"].y }}')).toBe('1');
    expect(Object.hasOwn(Object.prototype, 'y')).toBe(false);
  });

  it('changes nothing it was given', () => {
    const values = { list: [3, 1, 2], d: { a: 1 } };
    render(
      '{{ list|sort }}{{ list|reverse }}{% set list = [] %}{% set d = namespace(d) %}{% set d.a = 2 %}{{ d.a }}',
      values,
    );
    expect(values).toEqual({ list: [3, 1, 2], d: { a: 1 } });
    expect(() => render('{% set d.a = 2 %}', values)).toThrow(/cannot be changed; use namespace/);
  });
});

const DOUBLED =
  '{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}';
const COPIES =
  '{% set ns = namespace(l=[text]) %}{% for i in range(12) %}{% set ns.l = ns.l + ns.l %}{% endfor %}';

describe('the bounds', () => {
  const failure = (template: string, values: JsonObject = {}): SvcError => {
    const start = cpuMs();
    try {
      render(template, values);
    } catch (thrown) {
      expect(cpuMs() - start, template).toBeLessThan(20_000);
      if (thrown instanceof SvcError) return thrown;
      throw thrown;
    }
    throw new Error(`rendered: ${template}`);
  };
  const big = 'x'.repeat(900_000);

  it.each([
    ['deadline_exceeded', '{% for i in range(1000000000) %}x{% endfor %}'],
    ['deadline_exceeded', '{{ range(n)|length }}'],
    ['deadline_exceeded', '{% for a in range(5000) %}{% for b in range(5000) %}{% endfor %}{% endfor %}'],
    [
      'deadline_exceeded',
      '{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}',
    ],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if text|length > 1 %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if text.upper() == text %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if data == other %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if "y" in text %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% set x = data|tojson %}{% endfor %}'],
    // A list that holds one list twice, which holds one list twice, and so on, is long only as text.
    ['deadline_exceeded', `${DOUBLED}{{ ns.l }}`],
    ['deadline_exceeded', `${DOUBLED}{{ ns.l|tojson|length }}`],
    ['deadline_exceeded', `${DOUBLED}{{ (ns.l ~ "")|length }}`],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if text[1:] %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if text < near %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if text == near %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if text is lower %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if keys|length %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if keys.items() %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% set x = dict(keys) %}{% endfor %}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% set x = keys|dictsort %}{% endfor %}'],
    [
      'deadline_exceeded',
      '{% macro f() %}{% endmacro %}{% for i in range(100000) %}{{ f(**keys) }}{% endfor %}',
    ],
    ['deadline_exceeded', '{{ data.rows|map(attribute=path)|list|length }}'],
    ['deadline_exceeded', '{% for i in range(100000) %}{% if data in "abc" %}{% endif %}{% endfor %}'],
    ['deadline_exceeded', `${COPIES}{{ ns.l|sort|length }}`],
    ['deadline_exceeded', `${COPIES}{{ ns.l|map("upper")|list|length }}`],
    // V8 compares each character of the one with each of the other.
    ['deadline_exceeded', '{{ part in text }}'],
    ['deadline_exceeded', '{{ text|replace(part, "")|length }}'],
    ['deadline_exceeded', '{{ text.split(part)|length }}'],
    ['result_too_large', '{{ (text|replace("x", "<"))|escape|length }}'],
    ['result_too_large', '{% for i in range(20000) %}{{ "x" * 100 }}{% endfor %}'],
    [
      'result_too_large',
      '{% set ns = namespace(s="x") %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}',
    ],
    ['result_too_large', '{{ "x" * n }}'],
    ['result_too_large', '{{ "a\nb"|indent(n) }}'],
    ['result_too_large', '{{ text|replace("x", "xxxxxxxxxx") }}'],
    ['result_too_large', '{{ range(5000)|join(text) }}'],
    ['result_too_large', '{{ text }}{{ text }}'],
    ['result_too_large', '{% set s %}{{ text }}{{ text }}{% endset %}'],
    ['internal', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}'],
    ['internal', '{% macro f(n) %}{{ f(n + 1) }}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}'],
    ['internal', '{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}'],
  ])('%s: %s', (code, template) => {
    const data = { rows: Array.from({ length: 5000 }, (_, id) => ({ id })) };
    const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, id) => [`k${id}`, id]));
    const part = `${'x'.repeat(200_000)}y${'x'.repeat(200_000)}`;
    const values = {
      n: 2_000_000_000,
      text: big,
      near: `${big.slice(1)}y`,
      part,
      path: 'a.'.repeat(50_000),
      keys,
      data,
      other: structuredClone(data),
    };
    expect(failure(template, values).code).toBe(code);
  });

  it.each([
    '{{ 1 / 0 }}',
    '{{ 1 % 0 }}',
    '{{ 10 ** 400 }}',
    '{{ "a" - 1 }}',
    '{{ "a" < 1 }}',
    '{{ [1] < 2 }}',
    '{{ ["a", 1]|sort }}',
    '{% for x in 5 %}{% endfor %}',
    '{% set a, b = [1] %}',
    '{{ range(1, 2, 0) }}',
    '{{ "abc"[::0] }}',
    '{{ 5|items }}',
    '{{ x|nofilter }}',
    '{{ x is notest }}',
    '{{ [1]|select("notest") }}',
    '{{ [1]|map("nofilter") }}',
    '{{ x|join(",")[0] }}',
    '{{ {none: 1} }}',
    '{{ f(**[1]) }}',
    '{{ f(*{"a": 1}) }}',
  ])('a fault of the template is internal and says why: %s', (template) => {
    const error = failure(template);
    expect(error.code).toBe('internal');
    expect(error.message).toMatch(/^The template cannot be rendered: .+\.$/);
  });

  it('let truncating take time in proportion to the length of the text', () => {
    const text = `${' '.repeat(100_000)}x ${'y'.repeat(300)}`;
    // In proportion to the square of the length, this would take minutes.
    expect(render('{{ text|truncate(100010)|length }}', { text })).toBe('100004');
  });

  it('hold whatever is rounded', () => {
    expect(render('{{ 1.5|round(n) }} {{ 1.5|round(-n) }} {{ 1.25|round(1) }}', { n: 400 })).toBe(
      '1.5 0 1.3',
    );
    expect(failure('{{ range(0, 1, 10 ** -300)|length }}').code).toBe('deadline_exceeded');
  });

  it('leave room for what people do', () => {
    const rows = Array.from({ length: 2000 }, (_, id) => ({ id, name: `row ${id}` }));
    const text = render(
      '{% for r in rows %}- {{ r.id }}: {{ r.name|upper }} ({{ loop.index }}/{{ rows|length }})\n{% endfor %}',
      { rows },
    );
    expect(text.split('\n')).toHaveLength(2001);
    const sorted =
      '{% for r in rows|sort(attribute="name", reverse=true)|map(attribute="name")|unique %}{{ r }} {% endfor %}';
    expect(render(sorted, { rows: rows.slice(0, 500) })).toMatch(/^row 99 row 98 /);
    expect(render('{{ rows|tojson }}', { rows })).toBe(JSON.stringify(rows));
    expect(render('{{ text }}', { text: 'x'.repeat(1_000_000) })).toHaveLength(1_000_000);
    expect(render('{{ "needle 7" in text }}', { text: 'x'.repeat(500_000) })).toBe('false');
  });

  it('compile a text once and refuse one that is wrong', () => {
    expect(compileTemplate('{{ a }} once')).toBe(compileTemplate('{{ a }} once'));
    expect(() => compileTemplate('{{ a')).toThrow(expect.objectContaining({ code: 'project_invalid' }));
  });
});
