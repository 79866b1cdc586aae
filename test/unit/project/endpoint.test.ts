import { describe, expect, it } from 'vitest';
import { findingsOf, load, short } from './memory.ts';

/** A tool with some lines of its own, from line 3 on. */
const TOOL = (lines: string) => `svc: 1\ntool:\n${lines}\n  source: { code: SELECT 1 }\n`;
const NAMED = (lines: string) => TOOL(`  name: a\n${lines}`);

const of = async (text: string, file?: string) => (await findingsOf(text, file)).map(short);

describe('keys', () => {
  it('names every unknown key and the known one it is nearest to', async () => {
    expect(
      await of(
        'svc: 1\nmetdata: {}\ntool:\n  nam: a\n  paramters: []\n  xyz: 1\n  name: b\n  source: { cod: x, code: SELECT 1 }',
      ),
    ).toEqual([
      '2:1 unknown-key: `metdata` is not a known key here. Did you mean `metadata`?',
      '4:3 unknown-key: `tool.nam` is not a known key here. Did you mean `name`?',
      '5:3 unknown-key: `tool.paramters` is not a known key here. Did you mean `parameters`?',
      expect.stringMatching(
        /^6:3 unknown-key: `tool\.xyz` is not a known key here. Remove it; known here: name, title, /,
      ),
      '8:13 unknown-key: `tool.source.cod` is not a known key here. Did you mean `code`?',
    ]);
  });

  it('says of keys that lack their indentation where they belong', async () => {
    const text = 'svc: 1\ntool:\n  name: a\nsource: { code: SELECT 1 }\nmessages: []\nparameters: []\n';
    expect(await of(text)).toEqual([
      '3:3 missing-field: `tool.source` is missing. Add `source`.',
      '4:1 unknown-key: `source` is not a known key here. Indent it, so that it stands below `tool` or `resource`.',
      '5:1 unknown-key: `messages` is not a known key here. Indent it, so that it stands below `prompt`.',
      '6:1 unknown-key: `parameters` is not a known key here. Indent it, so that it stands below `tool` or `resource` or `prompt`.',
    ]);
  });

  it('knows a text without quotes that a comma has ended', async () => {
    const text = 'svc: 1\ntool:\n  name: a\n  source: { code: SELECT id, customer FROM orders }\n';
    expect(await of(text)).toEqual([
      '4:30 unknown-key: `tool.source.customer FROM orders` is not a known key here. If it belongs to the text before it, put the whole text in quotes: a comma ends a text inside {}.',
    ]);
  });

  // Requirements: command.validate
  it('says what is missing where it should be', async () => {
    expect(
      await of('tool:\n  parameters:\n    - type: string\n  tests:\n    - { arguments: [{ key: a }] }\n'),
    ).toEqual([
      '2:3 missing-field: `tool.name` is missing. Add `name`.',
      '2:3 missing-field: `tool.source` is missing. Add `source`.',
      '3:7 missing-field: `tool.parameters[0].name` is missing. Add `name`.',
      '5:7 missing-field: `tool.tests[0].name` is missing. Add `name`.',
      '5:21 missing-field: `tool.tests[0].arguments[0].value` is missing. Add `value`.',
    ]);
  });

  it('knows a key of each level by its level', async () => {
    const findings = await of(
      NAMED(
        '  policies: { inputs: [] }\n  limits: { row: 1 }\n  annotations: { readOnly: true }\n  icons: [{ source: x }]',
      ),
    );
    expect(findings.map((text) => text.split(' ').at(-1))).toEqual([
      '`input`?',
      '`rows`?',
      expect.any(String),
      '`src`.',
      expect.any(String),
    ]);
  });

  it('finds keys that every object has by inheritance', async () => {
    expect(
      (await of(NAMED('  constructor: 1\n  toString: 2\n  prototype: 3'))).map((text) => text.slice(0, 15)),
    ).toEqual(['4:3 unknown-key', '5:3 unknown-key', '6:3 unknown-key']);
  });
});

describe('values', () => {
  it.each([
    // Requirements: endpoint.name
    ['name: 5', '3:9 wrong-type: `tool.name` must be text, not a number. Put it in quotes.'],
    ['name: true', '3:9 wrong-type: `tool.name` must be text, not the word true. Put it in quotes.'],
    ['name:', '3:8 wrong-type: `tool.name` must be text, not nothing. Write text after the colon.'],
    ['name: [a]', '3:9 wrong-type: `tool.name` must be text, not a list. Write text after the colon.'],
    [
      'name: bad name!',
      expect.stringMatching(/^3:9 wrong-value: `tool\.name` must be a name of 1 to 64 letters/),
    ],
    [`name: ${'a'.repeat(65)}`, expect.stringMatching(/^3:9 wrong-value/)],
    ['name: 1st', expect.stringMatching(/^3:9 wrong-value/)],
    ['name: __proto__', expect.stringMatching(/^3:9 wrong-value/)],
  ])('%s', async (line, finding) => {
    expect(await of(TOOL(`  ${line}`))).toEqual([finding]);
  });

  // Requirements: endpoint.name, mcp.tool.names
  it.each(['a', '_', 'get.user-data_2', 'constructor', 'A'.repeat(64)])(
    'the name %s is fine',
    async (name) => {
      const { endpoints, findings } = await load({ 'tools/a.yml': TOOL(`  name: ${name}`) });
      expect(findings).toEqual([]);
      expect(endpoints[0]?.endpoint?.name).toBe(name);
    },
  );

  it.each([
    // Requirements: endpoint.description
    ['description: 5', '4:16 wrong-type: `tool.description` must be text, not a number. Put it in quotes.'],
    // Requirements: endpoint.enabled
    [
      'enabled: yes',
      '4:12 wrong-type: `tool.enabled` must be true or false, not text. Write true or false, without quotes.',
    ],
    [
      'tags: [a, two words, "a,b"]',
      '4:25 wrong-value: `tool.tags[2]` must be a tag without commas, and without blanks around it. List each tag as an item.',
    ],
    ['tags: [" x"]', expect.stringMatching(/^4:11 wrong-value: `tool\.tags\[0\]` must be a tag/)],
    ['tags: ["x "]', expect.stringMatching(/^4:11 wrong-value: `tool\.tags\[0\]` must be a tag/)],
    ['tags: [""]', expect.stringMatching(/^4:11 wrong-value: `tool\.tags\[0\]` must be a tag/)],
    [
      'tags: a',
      '4:9 wrong-type: `tool.tags` must be a list, not text. Write each item on a line of its own after a dash, or all in [].',
    ],
    [
      // Requirements: endpoint.language
      'language: sqll',
      '4:13 wrong-value: `tool.language` must be one of sql, python, not "sqll". Did you mean sql?',
    ],
    [
      'limits: { rows: 0 }',
      '4:19 wrong-value: `tool.limits.rows` must be a whole number from 1 to 1000000. Change the number.',
    ],
    [
      'limits: { rows: 99999999999999999999 }',
      '4:19 wrong-value: `tool.limits.rows` must be a whole number from 1 to 1000000. Change the number.',
    ],
    [
      'limits: { timeout: 0 }',
      '4:22 wrong-value: `tool.limits.timeout` must be more than 0 and at most 3600 seconds. Write the time limit of a statement in seconds.',
    ],
    [
      'icons: [{ src: "javascript:alert(1)" }]',
      expect.stringMatching(/^4:19 wrong-value: `tool\.icons\[0\]\.src` must be an https: or data: address/),
    ],
    [
      'icons: [{ src: "http://example.com/a.png" }]',
      expect.stringMatching(/^4:19 wrong-value: `tool\.icons\[0\]\.src` must be an https: or data: address/),
    ],
    ['scopes: [a b]', expect.stringMatching(/^4:12 wrong-value/)],
    ['mime_type: text/plain', expect.stringMatching(/^4:14 wrong-value/)],
    [
      'policies: { input: [{ condition: "true", action: dney }] }',
      expect.stringMatching(/^4:52 wrong-value: .* Did you mean deny\?$/),
    ],
    ['tests: [{ name: t, result_length: -1 }]', expect.stringMatching(/^4:37 wrong-value/)],
  ])('%s', async (line, finding) => {
    expect(await of(NAMED(`  ${line}`))).toEqual([finding]);
  });

  it('takes a key with nothing after it for one that is not there', async () => {
    const empty = [
      'title',
      'description',
      'tags',
      'parameters',
      'return',
      'policies',
      'tests',
      'limits',
      'annotations',
      'enabled',
      'icons',
    ];
    expect(await of(NAMED(empty.map((key) => `  ${key}:`).join('\n')))).toEqual([]);
    expect(await of(NAMED('  policies: { input:, output: }'))).toEqual([]);
  });
});

// Requirements: endpoint.svc, version.1
describe('the version', () => {
  it.each([
    ["'1'", 'must be the number 1, not the text "1". Write `svc: 1`, without quotes or dots.'],
    ['1.0.0', 'must be the number 1, not the text "1.0.0". Write `svc: 1`, without quotes or dots.'],
    ['2', 'is 2, and this version of svc supports version 1 only. Write `svc: 1`, or use a newer svc.'],
    ['0', 'must be the number 1. Write `svc: 1`.'],
    ['[1]', 'must be the number 1. Write `svc: 1`.'],
  ])('%s', async (version, text) => {
    expect(await of(`svc: ${version}\ntool: { name: a, source: { code: SELECT 1 } }`)).toEqual([
      `1:${version.startsWith("'") ? 7 : 6} svc-version: \`svc\` ${text}`,
    ]);
  });

  it.each([
    ['role: 5', 'role', 'must be text, not a number. Put it in quotes.'],
    ['permissions: admin', 'permissions', 'must be a list, not text.'],
    ['groups: [a, 5]', 'groups[1]', 'must be text, not a number.'],
    ['external_token: {}', 'external_token', 'must be text, not a map.'],
  ])('the user of a test has %s', async (user, key, message) => {
    const withUser = (text: string) => NAMED(`  tests: [{ name: a, user_context: { ${text} } }]`);
    expect(await of(withUser(user))).toEqual([expect.stringMatching(/^4:\d+ wrong-type: /)]);
    expect((await of(withUser(user)))[0]).toContain(`tests[0].user_context.${key}\` ${message}`);
    expect(await of(withUser('role:, team: 5, groups: [a]'))).toEqual([]);
  });

  it.each(['svc: 1\n', 'svc: 1.0\n', '', 'svc:\n'])('%j is fine', async (line) => {
    expect(await of(`${line}tool: { name: a, source: { code: SELECT 1 } }`)).toEqual([]);
  });
});

// Requirements: endpoint.kind
describe('the one endpoint of a file', () => {
  it.each([
    ['svc: 1\ntol: {}\n', ['1:1 missing-field', '2:1 unknown-key']],
    ['svc: 1\ntool:\n', ['2:1 missing-field']],
    [
      'tool: { name: a, source: { code: SELECT 1 } }\nprompt: { name: b, messages: [{ prompt: c }] }\n',
      ['2:1 several-endpoints'],
    ],
    ['svc: 1\nprompt: { name: b, messages: [{ prompt: c }] }\n', ['2:1 misplaced']],
    ['tool: text\n', ['1:7 wrong-type']],
  ])('%j', async (text, places) => {
    expect((await of(text)).map((one) => one.split(': ')[0])).toEqual(places);
  });
});

describe('types', () => {
  const PARAMETERS = (...lines: string[]) =>
    NAMED(`  parameters:\n${lines.map((line) => `    - ${line}`).join('\n')}`);

  it('reports every problem of every parameter', async () => {
    expect(
      await of(
        PARAMETERS(
          '{ name: 1x, type: strin }',
          '{ name: b, type: int, minimum: x, required: true }',
          '{ name: c, type: integer, default: abc }',
          '{ name: c, type: string, minimum: 1, pattern: "(a" }',
        ),
      ),
    ).toEqual([
      expect.stringMatching(/^5:15 wrong-value: `tool\.parameters\[0\]\.name` must be a name/),
      '5:25 wrong-value: `tool.parameters[0].type` must be one of string, number, integer, boolean, array, object, not "strin". Did you mean string?',
      '6:24 wrong-value: `tool.parameters[1].type` must be one of string, number, integer, boolean, array, object, not "int". Did you mean integer?',
      '6:38 wrong-type: `tool.parameters[1].minimum` must be a number, not text. Write a number, without quotes.',
      expect.stringMatching(
        /^6:51 wrong-type: .* a parameter is optional exactly when it has a `default`\.$/,
      ),
      expect.stringMatching(/^7:42 type: `tool\.parameters\[2\]\.default`: The default is not of this type/),
      expect.stringMatching(/^8:41 type: `tool\.parameters\[3\]\.minimum`: /),
      expect.stringMatching(/^8:54 type: `tool\.parameters\[3\]\.pattern`: /),
    ]);
  });

  it('keeps the digits of integers in an enum, and says that a limit has none beyond 2^53', async () => {
    expect(
      await of(PARAMETERS('{ name: a, type: integer, enum: [1, 9007199254740993, -9007199254740993] }')),
    ).toEqual([]);
    const beyond =
      'is a whole number beyond 2^53, which is not possible here. Write a number from -9007199254740991 to 9007199254740991, or remove the key.';
    expect(
      await of(
        PARAMETERS(
          '{ name: a, type: integer, maximum: 9223372036854775807 }',
          '{ name: b, type: integer, minimum: -9223372036854775808 }',
          '{ name: c, type: string, maxLength: 9007199254740993 }',
          '{ name: d, type: integer, maximum: "5" }',
          '{ name: e, type: integer, maximum: "9007199254740993x" }',
        ),
      ),
    ).toEqual([
      `5:42 wrong-value: \`tool.parameters[0].maximum\` ${beyond}`,
      `6:42 wrong-value: \`tool.parameters[1].minimum\` ${beyond}`,
      '7:43 wrong-value: `tool.parameters[2].maxLength` must be a whole number of 0 or more. Change the number.',
      expect.stringContaining('`tool.parameters[3].maximum` must be a number, not text.'),
      expect.stringContaining('`tool.parameters[4].maximum` must be a number, not text.'),
    ]);
  });

  it('finds two parameters of one name', async () => {
    expect(await of(PARAMETERS('{ name: a, type: string }', '{ name: a, type: string }'))).toEqual([
      '6:15 type: `tool.parameters[1].name` is a, which is the name of a parameter above. Rename one of them, in the SQL too.',
    ]);
  });

  it('goes into every node of a type', async () => {
    const lines =
      '  return:\n    type: array\n    items:\n      type: object\n      properties:\n        a: { type: text }\n        constructor: { type: strin }\n        c: { type: array, items: { typ: string } }';
    expect((await of(NAMED(lines))).map((text) => text.split(': ')[0])).toEqual([
      '9:20 wrong-value',
      '10:30 wrong-value',
      '11:34 missing-field',
      '11:36 unknown-key',
    ]);
  });

  it('keeps the constraints of a property that is called like what every object has', async () => {
    const { endpoints } = await load({
      'tools/a.yml': NAMED(
        '  return: { type: object, properties: { constructor: { type: string, maxLength: 3 } } }',
      ),
    });
    expect(endpoints[0]?.endpoint?.returns?.properties).toEqual({
      constructor: { type: 'string', maxLength: 3 },
    });
  });

  // Requirements: modern.schema.bounds
  it('ends at types that are too deep', async () => {
    const deep = `${'{ type: array, items: '.repeat(40)}{ type: string }${' }'.repeat(40)}`;
    expect(await of(NAMED(`  return: ${deep}`))).toEqual([
      expect.stringMatching(/^4:11 type: .* deeper than 32 levels/),
    ]);
  });
});

// Requirements: endpoint.uri
describe('resources', () => {
  const RESOURCE = (uri: string, parameters = '') =>
    `resource:\n  uri: ${uri}\n  parameters: [${parameters}]\n  source: { code: SELECT 1 }\n`;
  const ID = '{ name: id, type: string }';
  const at = (text: string) => of(text, 'resources/one.yml');

  it.each([
    ['"shop://a/{id}"', ID, []],
    ['"shop://a"', '', []],
    ['"urn:isbn:{id}"', ID, []],
    [
      'shop',
      '',
      [
        '2:8 uri: `resource.uri` does not begin with a scheme. Begin with one, such as `shop://customers/{id}`.',
      ],
    ],
    ['"shop://a b"', '', [expect.stringMatching(/^2:9 uri: .*has a character that is not allowed in a URI/)]],
    ['"shop://{id"', ID, [expect.stringMatching(/^2:9 uri: .* Close every \{ with \}/)]],
    [
      '"shop://{?id}"',
      ID,
      [expect.stringMatching(/^2:9 uri: .* operators such as \{\?name\} are not supported\.$/)],
    ],
    ['"shop://{id}/{id}"', ID, [expect.stringMatching(/^2:9 uri: .*has \{id\} twice/)]],
    [
      '"shop://{id}{b}"',
      `${ID}, { name: b, type: string }`,
      [expect.stringMatching(/two placeholders with nothing between/)],
    ],
    [
      '"shop://{idd}"',
      ID,
      [
        '2:9 uri: `resource.uri` has {idd}, which is not declared. Did you mean {id}?',
        expect.stringMatching(/^3:24 uri: .*\[0\]\.name` is id, which is not in the `uri`/),
      ],
    ],
  ])('%s', async (uri, parameters, findings) => {
    expect(await at(RESOURCE(uri, parameters))).toEqual(findings);
  });
});

describe('prompts', () => {
  const at = (text: string) => of(text, 'prompts/one.yml');

  // Requirements: endpoint.prompt
  it('have messages, with roles and types that MCP can carry', async () => {
    expect(await at('prompt: { name: a, messages: [] }')).toEqual([
      '1:30 wrong-value: `prompt.messages` must not be empty. Write at least one message.',
    ]);
    expect(
      await at('prompt:\n  name: a\n  messages:\n    - { role: usr, type: txt, prompt: 5 }\n    - {}\n'),
    ).toEqual([
      '4:15 wrong-value: `prompt.messages[0].role` must be one of user, assistant, system, not "usr". Did you mean user?',
      '4:26 wrong-value: `prompt.messages[0].type` must be one of text, resource, not "txt". Did you mean text?',
      '4:39 wrong-type: `prompt.messages[0].prompt` must be text, not a number. Put it in quotes.',
      '5:7 missing-field: `prompt.messages[1].prompt` is missing. Add `prompt`.',
    ]);
  });

  it('have no source', async () => {
    expect(
      await at('prompt: { name: a, messages: [{ prompt: b }], source: { code: SELECT 1 } }'),
    ).toHaveLength(1);
  });
});
