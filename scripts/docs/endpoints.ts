import { readFileSync } from 'node:fs';
import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import { USER_KEYS } from '../../src/policy/user.ts';
import { editorSchemaOf } from '../../src/quality/editor/files.ts';

/** The path of the page in the repository. */
export const ENDPOINTS_PAGE = 'docs/reference/endpoints.md';

/** The parts of an endpoint file in the order of the page, each with its description. */
const PARTS: Readonly<Record<string, string>> = {
  tool: 'A model calls a tool with arguments.',
  resource:
    'A client reads a resource by its URI. A URI without placeholders is listed. A URI with placeholders is a template, and every placeholder is a parameter. A parameter with a `default` may be empty there: `shop://customers/`.',
  prompt:
    'A person chooses a prompt. Its messages are Jinja templates over the parameters; [templates.md](templates.md) lists the differences.',
  parameter:
    'One item of `parameters`: a type with a name. Templates and conditions read only names of the letters A to Z and a to z, digits and `_`, and conditions no word of CEL such as `package`, `function` or `return`.',
  type: 'The type of a parameter, a result, an item or a property. Every constraint applies to arguments and to results.',
  large_result:
    'A large result is a summary: numbers of rows and columns, the range of each column, and five rows. A link has all rows, up to `limits`.',
  source:
    'The code of the endpoint. A source has exactly one of `code` and `file`. SQL must be one statement; Python must be in a file.',
  confirm: 'A question that a person must accept before each call.',
  question:
    'One item of `ask`. The server asks the items one after the other, and the items of a nested list together. If a person declines or does not answer, the call does not run.',
  field: 'One item of `fields`: a type with a name, text, a number, true or false, or an array of an enum.',
  policies: 'Two lists of rules. A condition that cannot be evaluated denies the call.',
  rule: `One rule. Input rules see every argument by its name, and output rules see \`response\`. Both see \`now()\` and \`user\`, with ${listOf(USER_KEYS)}. If nobody is signed in, \`user.role\` is \`anonymous\`, lists are empty and all other fields are null. For a user without a role, \`user.role\` is null.`,
  limits: 'Above a limit, a list is visibly truncated, and any other result is an error.',
  cache:
    'A result is cached for the `ttl`, counted from the start of its statement, for calls of the same caller with the same arguments. The SQL must not write or read headers or the token of the user. See [cached results](limits.md#cached-results).',
  annotations: 'MCP hints about a tool.',
  icon: 'One item of `icons`.',
  message: 'One item of `messages`.',
  test: 'One item of `tests`. Every assertion must hold. Without assertions, the call must succeed.',
  argument: "One item of a test's `arguments`.",
};

/** `docs/reference/endpoints.md`, from the schemas. */
export function toEndpointsPage(): string {
  const schema = editorSchemaOf('endpoint');
  const parts = isObject(schema.$defs) ? schema.$defs : {};
  const sections = Object.entries(PARTS).map(([name, text]) => {
    const part = parts[name];
    return `## ${name}\n\n${text}\n\n${isObject(part) ? toTable(part) : ''}\n`;
  });
  return [INTRODUCTION, toTable(schema), '', EXAMPLE, ...sections, EDITORS].join('\n');
}

/** Parts of the language without a section on the page. */
export function undocumented(): readonly string[] {
  const { $defs } = editorSchemaOf('endpoint');
  return Object.keys(isObject($defs) ? $defs : {}).filter((name) => !Object.hasOwn(PARTS, name));
}

function listOf(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(', ');
}

function toTable({ properties, required }: JsonObject): string {
  const needed = Array.isArray(required) ? required : [];
  const rows = Object.entries(isObject(properties) ? properties : {}).map(([key, value]) => {
    const node = isObject(value) ? value : {};
    const mark = needed.includes(key) ? ' *' : '';
    return `| \`${key}\`${mark} | ${toType(node)} | ${node.description ?? ''} |`;
  });
  return ['| key | type | meaning |', '|---|---|---|', ...rows].join('\n');
}

function toType(node: JsonObject): string {
  const { $ref, anyOf, enum: words, const: only, type, items, additionalProperties, minimum, maximum } = node;
  if (typeof $ref === 'string') return toLink($ref);
  if (Array.isArray(anyOf))
    return anyOf
      .filter(isObject)
      .filter((one) => one.type !== 'null')
      .map(toType)
      .join(' or ');
  if (Array.isArray(words)) return listOf(words.filter((word) => word !== null).map(String));
  if (only !== undefined) return `\`${only}\``;
  const base = Array.isArray(type) ? type.find((name) => name !== 'null') : type;
  if (base === 'array') return `list of ${isObject(items) ? toType(items) : 'anything'}`;
  if (base === 'object' && isObject(additionalProperties))
    return `map of names to ${toType(additionalProperties)}`;
  if (base === 'integer') return `whole number${toRange(minimum, maximum)}`;
  return NOUNS[String(base)] ?? 'anything';
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: '`true` or `false`',
  object: 'map',
};

function toRange(least: JsonValue | undefined, most: JsonValue | undefined): string {
  if (typeof least !== 'number' || typeof most !== 'number') return '';
  return most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : `, ${least} to ${most}`;
}

function toLink(ref: string): string {
  const name = ref.split('/').at(-1) ?? '';
  return `[${name}](#${name})`;
}

const INTRODUCTION = `<!-- Written by \`npx node scripts/docs/write.ts\` from the schemas; do not edit. -->
# Endpoint files

An endpoint is one YAML file (\`.yml\` or \`.yaml\`) in \`tools/\`, \`resources/\` or \`prompts/\`, at any depth. It holds exactly one of
\`tool\`, \`resource\` and \`prompt\`. Unknown keys are errors, and a key without a value counts as omitted. Keys marked * are
required. [types.md](types.md) has the JSON form of query results.
`;

const EXAMPLE = `\`\`\`yaml
${readFileSync(new URL('../../examples/shop/tools/best_customer.yml', import.meta.url), 'utf8').trimEnd()}
\`\`\`

[examples/shop](../../examples/shop) uses every key of this page.
`;

const EDITORS = `## In editors

\`svc schema --out .svc/endpoint.schema.json\` writes this page as JSON Schema, and \`svc schema site\` does the same for
\`svc-site.yml\`. The YAML extension of VS Code completes and checks a file that begins with this line:

\`\`\`yaml
# yaml-language-server: $schema=../.svc/endpoint.schema.json
\`\`\`

Instead of this line, \`yaml.schemas\` in \`.vscode/settings.json\` can assign the schema to files, as in \`examples/shop\`. Only
\`svc validate\` can check rules that involve several places, such as whether the SQL uses a parameter.
`;
