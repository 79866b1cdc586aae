import { compileCatalog } from '../../../src/catalog/compile.ts';
import { SvcError } from '../../../src/errors.ts';
import type { Finding } from '../../../src/project/finding.ts';
import { load } from '../../unit/project/memory.ts';
import { type Door, enforce } from '../door.ts';

const TOOL = `svc: 1
tool:
  name: orders
  description: Orders of a customer
  tags: [sales]
  scopes: [sales:read]
  parameters:
    - { name: customer, type: integer, minimum: 1 }
    - { name: since, type: string, format: date, default: "2026-01-01" }
  return: { type: array, items: { type: object, properties: { id: { type: integer } } } }
  policies:
    input: [{ condition: "user.role != 'admin' && customer > 3", action: deny, reason: no }]
    output: [{ condition: "true", action: mask_fields, fields: [id] }]
  limits: { rows: 10, timeout: 5 }
  source: { code: "SELECT $customer AS id WHERE DATE '2026-01-01' < $since" }
  tests: [{ name: one, arguments: [{ key: customer, value: 1 }], result_length: 1 }]
`;
const RESOURCE = `svc: 1
resource:
  uri: shop://orders/{id}
  name: order
  parameters: [{ name: id, type: string, pattern: "^[a-z]+$" }]
  return: { type: object }
  source: { code: SELECT $id AS id }
`;
const PROMPT = `svc: 1
prompt:
  name: ask
  parameters: [{ name: about, type: string, enum: [x, y] }]
  messages: [{ role: user, prompt: "Tell me of {{ about|upper }}{% if about == 'x' %}!{% endif %}" }]
`;
const SITE = `svc: 1
project: demo
profile: default
secrets: [api]
sql_tools: { enabled: true, tables: [{ table: orders, filter: "owner = get_user_email()" }] }
paths: { tools: tools, resources: resources }
profiles: { default: { database: { path: data.db, readonly: true }, audit: { enabled: true, path: audit.jsonl } } }
`;
const YAML_WORDS = [
  ...[
    '\n',
    '\n  ',
    '\n    - ',
    ': ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '"',
    "'",
    '|\n',
    '>-\n',
    '? ',
    '---\n',
    '...\n',
  ],
  ...[
    '&a ',
    '*a',
    '<<: ',
    '!t ',
    '!!str ',
    '#c\n',
    '%YAML 1.2\n',
    '\t',
    '~',
    'null',
    '0x1F',
    '.nan',
    '\r\n',
    '\u{1f600}',
  ],
  ...[
    'svc',
    'tool',
    'resource',
    'prompt',
    'name',
    'parameters',
    'type',
    'array',
    'object',
    'integer',
    'items',
  ],
  ...[
    'return',
    'source',
    'code',
    'file',
    'policies',
    'input',
    'output',
    'condition',
    'tests',
    'uri',
    'messages',
  ],
  ...[
    '__proto__: ',
    'constructor: ',
    'default',
    'enum',
    'format',
    'pattern',
    '$customer',
    '{id}',
    '{{ about }}',
  ],
];

/** A finding has a place, and says what happened and how to fix it. */
function enforceFindings(findings: readonly Finding[]): void {
  for (const { line, column, message, fix } of findings) {
    enforce(line >= 1 && column >= 1, `a finding has no place: ${message}`);
    enforce(message.length > 0 && message.length <= 1_001, `the message of a finding is empty or endless`);
    enforce(fix.length > 0 && fix.length <= 1_001, `a finding has no fix, or an endless one: ${message}`);
  }
}

/** Loads a project with this file. A project without errors must compile, or say why not. */
async function loadWith(path: string, input: Uint8Array): Promise<void> {
  const project = await load({ [path]: input });
  enforceFindings(project.findings);
  if (project.findings.some(({ severity }) => severity === 'error')) return;
  try {
    JSON.stringify(await compileCatalog(project));
  } catch (thrown) {
    if (!(thrown instanceof SvcError) || thrown.code === 'internal') throw thrown;
  }
}

const endpoint = (name: string, folder: string, seeds: readonly string[]): Door => ({
  name,
  promise: 'A file is an endpoint, or its findings say where it is wrong and how to mend it.',
  seeds,
  words: YAML_WORDS,
  quick: 600,
  open: async () => ({ ask: (input) => loadWith(`${folder}/one.yml`, input) }),
});

export const yaml = endpoint('yaml', 'tools', [
  TOOL,
  RESOURCE.replace('resource:', 'tool:'),
  TOOL.slice(0, 200),
]);
export const resources = endpoint('resource', 'resources', [RESOURCE]);
export const prompts = endpoint('prompt', 'prompts', [PROMPT]);
export const site: Door = {
  ...endpoint('site', '.', [SITE]),
  promise: 'A site file is read, or its findings say where it is wrong and how to mend it.',
  open: async () => ({ ask: (input) => loadWith('svc-site.yml', input) }),
};
