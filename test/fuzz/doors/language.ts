import { matchUri } from '../../../src/catalog/find.ts';
import { SvcError } from '../../../src/errors.ts';
import { checkPolicies } from '../../../src/policy/checks/check.ts';
import { parseUriTemplate } from '../../../src/project/uri.ts';
import { lexSql } from '../../../src/sql/lexer.ts';
import { scanParameters } from '../../../src/sql/parameters.ts';
import { classify, statementsOf } from '../../../src/sql/statement.ts';
import { checkTemplate } from '../../../src/template/check.ts';
import { compileTemplate, renderTemplate } from '../../../src/template/render.ts';
import { ALICE, decide, deny, policies, scope } from '../../unit/policy/fixtures.ts';
import { type Door, enforce, toText } from '../door.ts';

const ARGS = { a: 3, s: 'text', l: [1, 2, 3] };
const PARAMETERS = [
  { name: 'a', type: 'integer' },
  { name: 's', type: 'string' },
  { name: 'l', type: 'array', items: { type: 'integer' } },
] as const;

export const cel: Door = {
  name: 'cel',
  promise: 'A condition has findings or a verdict, and one that cannot be evaluated denies.',
  seeds: [
    "!user.email.endsWith('@acme.com') && l.all(i, i > 0)",
    "user.role in ['a', 'b'] ? a > 3 : s.matches('^[a-z]+$')",
    "now() - timestamp('2026-01-01T00:00:00Z') > duration('1h') || has(user.name)",
    "size(l.filter(i, i % 2 == 0).map(i, string(i) + s)) > 1 && {'k': [1u, 0x1F]}['k'].exists(e, e == 1u)",
    'r"\\d" == b"\\x00" || -9223372036854775808 / -1 > 1.5e3',
  ],
  words: [
    ...[
      'user',
      '.email',
      '.claims',
      'a',
      's',
      'l',
      'now()',
      'true',
      'null',
      '&&',
      '||',
      '==',
      '!=',
      '<=',
      ' in ',
    ],
    ...[
      '.all(',
      '.map(',
      '.filter(',
      '.exists_one(',
      'i, ',
      'has(',
      'size(',
      'matches(',
      'timestamp(',
      'duration(',
    ],
    ...[
      '"\\u0000"',
      '0x1F',
      '1u',
      '1e999',
      '9223372036854775807',
      '// n\n',
      '.0',
      '?',
      ':',
      '((((',
      '[[[[',
      '!!!!',
    ],
    ...['google.protobuf.Any{}', 'dyn(', 'type(', 'int(', 'string(', 'bytes(', '.getFullYear(', '__proto__'],
  ],
  quick: 3000,
  open: async () => ({
    ask: async (input) => {
      const condition = toText(input);
      for (const { message, fix } of checkPolicies(policies({ input: [deny(condition)] }), scope(PARAMETERS)))
        enforce(message !== '' && fix !== '', 'a finding is empty');
      for (const user of [ALICE, null]) {
        const { outcome, failure } = decide([deny(condition)], { args: ARGS, parameters: PARAMETERS, user });
        enforce(outcome === 'allow' || outcome === 'deny', `the outcome is ${outcome}`);
        enforce(failure === null || outcome === 'deny', 'a condition that failed allowed the call');
      }
    },
  }),
};

const VALUES = { x: 'text', l: [1, 'two', { k: 3 }], o: { k: 'v', n: null }, n: 7, big: 'b'.repeat(2_000) };

export const template: Door = {
  name: 'template',
  promise: 'A template has findings or is rendered within its budget; faults are errors of ours.',
  seeds: [
    'Hello {{ x|upper|replace("T", "t") }}{% if n > 3 and x in l %}!{% elif not o.k %}?{% else %}.{% endif %}',
    '{% for a in l %}{{ loop.index }}: {{ a|tojson }}{% if loop.last %}{% break %}{% endif %}{% endfor %}',
    '{% macro m(a, b=2) %}{{ a * b }}{% endmacro %}{{ m(n, b=3) }}{% set y = l[1:]|join(", ") %}{{ y ~ o["k"] }}',
    '{%- set ns = namespace(n=1) -%}{# note #}{% for i in range(5) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}',
    '{% filter indent(2) %}{{ l|map("string")|sort|unique|list }}{% endfilter %}{{ x is defined }}{{ n ** 2 // 3 % 4 }}',
  ],
  words: [
    ...[
      '{{ ',
      ' }}',
      '{% ',
      ' %}',
      '{#',
      '#}',
      '{%- ',
      ' -%}',
      'if ',
      'endif',
      'elif ',
      'else',
      'for a in ',
      'endfor',
    ],
    ...[
      'set ',
      'endset',
      'macro m(a)',
      'endmacro',
      'call m()',
      'endcall',
      'filter ',
      'endfilter',
      'break',
      'continue',
    ],
    ...[
      'x',
      'l',
      'o',
      'n',
      'big',
      '|join',
      '|tojson',
      '|sort',
      '|map(',
      '|selectattr(',
      '|default(',
      '|indent(',
      '|round',
    ],
    ...[
      ' is ',
      ' in ',
      ' not ',
      ' and ',
      'range(',
      'namespace(',
      'loop.',
      '**',
      '//',
      '~',
      '[',
      ':',
      ']',
      '(',
      ')',
      '-1',
    ],
    ...[
      '999999999',
      '1e308',
      '"',
      "'",
      '\\',
      'self',
      '__class__',
      'constructor',
      '.items()',
      '.split(',
      '.format(',
    ],
  ],
  quick: 3000,
  open: async () => ({
    ask: async (input) => {
      const text = toText(input);
      for (const { message, fix } of checkTemplate(text, Object.keys(VALUES)))
        enforce(message !== '' && fix !== '', 'a finding is empty');
      try {
        renderTemplate(compileTemplate(text), VALUES);
      } catch (thrown) {
        if (!(thrown instanceof SvcError)) throw thrown;
      }
    },
  }),
};

export const uri: Door = {
  name: 'uri',
  promise: 'A URI that matches a template gives values which, put back, give a URI with the same values.',
  seeds: [
    'shop://orders/{id}\nshop://orders/17',
    'shop://{region}/x-{name}.json\nshop://eu/x-a%20b.json',
    'file:///{a}-{b}\nfile:///x-y-z',
    'a:{x}\na:%C3%A9%2F',
  ],
  words: [
    '{',
    '}',
    '{id}',
    '{a}',
    '/',
    '%',
    '%2F',
    '%00',
    '%ff',
    '\n',
    '://',
    '?',
    '#',
    '-',
    '.',
    'é',
    '__proto__',
  ],
  quick: 30000,
  open: async () => ({
    ask: async (input) => {
      const [pattern = '', ...rest] = toText(input).split('\n');
      const parsed = parseUriTemplate(pattern);
      if ('problem' in parsed)
        return enforce(parsed.problem !== '' && parsed.fix !== '', 'a finding is empty');
      const { template } = parsed;
      const { literals, variables } = template;
      const found = matchUri(template, rest.join('\n'));
      if (found === null) return;
      enforce(Object.keys(found).length === variables.length, 'a placeholder has no value');
      const again = literals.map((literal, index) => {
        const name = variables[index];
        return name === undefined ? literal : `${literal}${toSegment(found[name] ?? '')}`;
      });
      // Values that contain the next literal come back shorter, as the first match is the shortest.
      const same = matchUri(template, again.join(''));
      enforce(same !== null, 'the URI of a match does not match');
    },
  }),
};

/** As a client expands a template (RFC 6570, 3.2.2). */
const toSegment = (value: string) =>
  encodeURIComponent(value).replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

export const sql: Door = {
  name: 'sql',
  promise: 'The tokens of SQL have no gaps, and positions in place of names change nothing else.',
  seeds: [
    'SELECT $a, \'$b\', "$c" -- $d\nFROM t /* $e /* nested */ */ WHERE x = $a AND y LIKE $$text$$',
    "WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT E'a\\'b' 'c'\n'd', $tag$ $n $tag$ FROM x; DROP TABLE t",
    'FROM range(3) SELECT {k: 1}, [1, 2][1:], x -> x + 1, 1_000.5e3, 0x1F, a.b."c d" LIMIT 5;',
    'SELECT ?1, $1, :name, @x, $',
  ],
  words: [
    ...[
      "'",
      '"',
      '$$',
      '$a',
      '$tag$',
      '--',
      '/*',
      '*/',
      '\n',
      '\r',
      ';',
      'E',
      "E'",
      '\\',
      '?',
      '$1',
      '\0',
      '\u00a0',
    ],
    ...[
      'SELECT ',
      'INSERT ',
      'WITH ',
      'CREATE ',
      'PRAGMA ',
      'EXPLAIN ANALYZE ',
      '(',
      ')',
      '::',
      '->',
      'é',
      '\u{1f600}',
    ],
  ],
  quick: 6000,
  open: async () => ({
    ask: async (input) => {
      const text = toText(input);
      const { tokens, problems } = lexSql(text);
      let end = 0;
      for (const token of tokens) {
        enforce(token.start === end && token.end > token.start, `a gap or an empty token at ${end}`);
        end = token.end;
      }
      enforce(end === text.length, 'the tokens end before the text');
      const scan = scanParameters(text);
      const { sql: rewritten, order } = scan.rewrite();
      classify(text);
      for (const statement of statementsOf(text))
        enforce(text.startsWith(statement.text, statement.offset), 'a statement is not where it says');
      if (problems.length > 0) return;
      const kinds = lexSql(rewritten).tokens.map(({ kind }) => kind);
      const wanted = tokens.map(({ kind }) => (kind === 'parameter' ? 'positional' : kind));
      enforce(kinds.join() === wanted.join(), 'positions in place of names changed other tokens');
      enforce(new Set(order).size === order.length, 'a name has two positions');
    },
  }),
};
