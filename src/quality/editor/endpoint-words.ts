type Words = { readonly [key: string]: string };

/** The keys that tools, resources and prompts share. */
const SHARED: Words = {
  title: 'Name that people see.',
  description: 'Its purpose and use, for models and people.',
  tags: 'Words that group endpoints. Clients select them by `/mcp?tags=…`, and see them under `_meta`.',
  icons: 'Pictures that clients may show.',
  enabled: '`false` hides it from every client. Default: `true`.',
  scopes: 'Scopes; a caller must hold all of them.',
  parameters: 'The arguments of a call, in order. A parameter is optional exactly when it has a `default`.',
  return:
    'Type of the result: `array` returns all rows, `object` the only row, any other type the only value. Without it, the result is a list of rows.',
  policies: 'Rules about access to the endpoint and to parts of its result.',
  tests: 'Calls with expected results; `svc test` runs them.',
  limits: 'Limits of one call that differ from the defaults.',
  confirm: 'Question that a person must accept before each call.',
  ask: 'Questions before each call; the answers are parameters too. The questions of a nested list are asked together.',
};

/** Further keys of tools and resources. */
const SOURCED: Words = {
  cache: 'Keeps results although their data can change, such as those of attached databases and files.',
  language:
    'Language of the source: `sql` or `python`. Default: `python` for a file that ends in `.py`, otherwise `sql`.',
  source:
    'The implementation: inline SQL as `code`, or a `file`. In a Python file, the function with the name of the endpoint runs.',
};

/** Further keys of resources and prompts. */
const COMPLETED: Words = {
  completion:
    'SQL that completes the values of a parameter, by its name. `$value` is the typed text, and the other parameters have the values filled in so far. Where rules hide fields of a resource, the column has the name that it has in the result.',
};

const TYPE: Words = {
  type: 'Type of the value.',
  format: 'Format of a string.',
  title: 'Name that people see.',
  description: 'Meaning of the value, with its unit or form.',
  default: 'Value of an omitted argument; `null` makes it optional without a value.',
  examples: 'Typical values.',
  enum: 'The allowed values.',
  nullable: 'Whether `null` is allowed. Default: `false`, unless `default` or `enum` has null.',
  sensitive:
    'Redacted in the audit log; dropped by the policy action `filter_sensitive_fields`. Default: `false`.',
  minLength: 'Least number of characters of a string.',
  maxLength: 'Most characters of a string.',
  pattern: 'Regular expression that must match a part of the string; use `^` and `$` for the whole string.',
  minimum: 'Least number.',
  maximum: 'Greatest number.',
  exclusiveMinimum: 'Exclusive lower limit.',
  exclusiveMaximum: 'Exclusive upper limit.',
  multipleOf: 'Step: the value must be a multiple of it. Exact for decimals such as `0.01`.',
  minItems: 'Least number of items of an array.',
  maxItems: 'Most items of an array.',
  uniqueItems: 'Whether no two items may be equal. Default: `false`.',
  items: 'Type of the items of an array.',
  properties: 'Types of the properties of an object, by name.',
  required: 'Required properties of an object.',
  additionalProperties: 'Whether an object may have other properties. Default: `true`.',
};

/** The meaning of each key of an endpoint file, by the part that contains it. A new key needs an entry here. */
export const ENDPOINT_WORDS: { readonly [part: string]: Words } = {
  file: {
    svc: 'Version of the file: `1`, also if it is missing.',
    tool: 'A call with arguments, for models.',
    resource: 'Data that clients read by its URI.',
    prompt: 'Messages that a person can choose as a start.',
    metadata: 'Your own data; clients do not see it.',
  },
  tool: {
    name: 'Name for clients: up to 64 letters, digits, `_`, `.` and `-`.',
    ...SHARED,
    ...SOURCED,
    annotations: 'Hints that clients use to decide whether to ask before a call.',
    mime_type: '`image/…` or `audio/…`: the result is one BLOB, and clients get it as content of that type.',
    content:
      '`rows`: each row is a block of content, by its columns `type` (`text`, `image`, `audio`, `resource`, `resource_link`), `text`, `data`, `mime_type`, `uri`, `name`, `title`, `description`. A block whose picture or address a rule hides is left out. Default: `value`.',
    format:
      'Form of the rows in the text of the result: `csv`, `markdown` or `json`. The text is then all that a client gets, without `structuredContent`, so a model reads the rows once.',
    view: 'View in which people see the result, in clients with MCP Apps: `table`, `line`, `bar`, `area`, `scatter`, `number`, `map`, or `auto`, which chooses by `return`.',
    large_result:
      'A result with many rows becomes a summary with a link to all rows. The tool must only read.',
  },
  large_result: {
    rows: 'Results with more rows are large. Default: 100.',
    format: 'Form of the file with all rows: `csv` (default), `json` or `parquet`.',
    minutes: 'Time for which the link can be read. Default: 15; at most 1440.',
  },
  resource: {
    uri: 'Address, with `{name}` in place of a parameter: `shop://customers/{id}`.',
    name: 'Name that people see. Default: the `uri`.',
    ...COMPLETED,
    mime_type:
      'Media type of the content. `text/csv` and `text/markdown` make a table of rows. Default: `text/plain` for a string, `application/json` for other types.',
    ...SHARED,
    ...SOURCED,
  },
  prompt: {
    name: 'Name for clients: up to 64 letters, digits, `_`, `.` and `-`.',
    ...SHARED,
    ...COMPLETED,
    return: 'Type of the result, for documentation only; nothing is checked against it.',
    messages: 'The messages, in order.',
  },
  confirm: {
    question: 'The question: a template over the arguments.',
    otherwise: 'Outcome if the client cannot ask a person: `deny` (default) or `allow`.',
  },
  question: {
    name: 'Name of the question. For the kinds `sampling` and `roots`, the answer becomes a parameter with this name.',
    kind: "`form` (default): a person fills in `fields`; `sampling`: the client's model answers; `roots`: the client names its folders.",
    message: 'The question: a template over the arguments and earlier answers.',
    fields: 'The values of a form; each becomes a parameter, `$name` in SQL.',
    max_tokens: "Most tokens of the model's answer. Default: 1000.",
    when: 'CEL condition over the arguments, earlier answers and `user`. If it is false, the question is skipped.',
    otherwise:
      'Outcome if the client cannot answer: `deny` (default), or `skip`, which uses the defaults or NULL.',
  },
  field: {
    name: 'Name of the value; `$name` in SQL, `{{ name }}` in templates.',
    titles: 'Texts shown for the values of the `enum`, in the same order.',
    enumNames: 'Like `titles`, for clients of revisions before 2025-11-25.',
    ...TYPE,
  },
  icon: {
    src: 'Address of the picture: `https:` or `data:`.',
    mime_type: 'Media type of the picture.',
    sizes: 'Sizes such as `48x48`, or `any`.',
    theme: 'Background that suits the picture.',
  },
  annotations: {
    title: 'Name that people see.',
    readOnlyHint: 'The tool changes nothing. Default: `true` if the SQL only reads.',
    destructiveHint: 'The tool may delete or overwrite data, not only add.',
    idempotentHint: 'A second call with the same arguments changes nothing more.',
    openWorldHint: 'The tool interacts with systems outside of the database.',
  },
  source: {
    code: 'One SQL statement; `$name` is the value of a parameter.',
    file: 'File with the SQL, relative to this file; a leading `/` means the root of the project.',
    language: 'Like `language` of the endpoint, which takes precedence.',
  },
  policies: {
    input: 'Rules about the call, over its arguments and `user`. The first rule that denies ends the call.',
    output:
      'Rules about the result, over `response` and `user`. All rules with a true condition apply, in order. If a rule that does not read `response` denies, those that read it decide nothing.',
  },
  rule: {
    condition:
      'CEL expression; the rule applies if it is true. A condition that cannot be evaluated denies the call. If only a null field of `user` is the cause, as in `user.email.endsWith(…)` for a caller without an address, the caller reads the `reason` of the rule.',
    action: 'Action of the rule; actions on fields are allowed in `output` only.',
    reason: 'Reason for a denial, which the caller receives.',
    fields:
      'Fields for `filter_fields` and `mask_fields`, regardless of upper and lower case, as in SQL. `address.street` is a field of an object, or of each object in a list.',
  },
  limits: {
    rows: 'Most rows of a result; further rows are cut, with a note. Default: 10,000.',
    bytes: 'Most bytes of a result. Default: 4 MiB.',
    timeout: 'Time limit of the statement in seconds. Default: 30.',
    scan_rows:
      'Most rows that a statement may scan. A statement whose plan estimates more is refused before it runs. Default: `limits.scan_rows` of the site file.',
    scan_bytes:
      'Most bytes that a statement may scan, likewise; on the native engine. Default: `limits.scan_bytes` of the site file.',
  },
  cache: {
    ttl: 'The time for which a result may be kept: `30s`, `5m`, `1h`.',
  },
  parameter: { name: 'Name of the parameter; `$name` in SQL, `{{ name }}` in templates.', ...TYPE },
  type: { name: 'Allowed, but without meaning here.', ...TYPE },
  test: {
    name: 'Name of the test.',
    description: 'Mistake that the test detects.',
    arguments: 'Arguments of the call.',
    user_context: 'User of the call; none by default. `--user-context` takes precedence.',
    result: 'The exact result; `null` is also a result.',
    result_contains:
      'Keys of the result with their values. For a list, one item must have them; for a text, a part of it.',
    result_not_contains:
      'Fields that the result and its items must not have, whatever the case of letters; `address.street` is a nested field.',
    result_contains_item: 'Item that a list must have; for an object, some of its keys suffice.',
    result_contains_all: 'Items that a list must have, in any order, each as in `result_contains_item`.',
    result_length: 'Number of items that a list must have.',
    result_contains_text: 'Text that must occur in the result.',
    denied: 'Whether a policy must deny the call.',
    error_contains: 'Text that the error must contain; the call must fail.',
  },
  argument: { key: 'Name of the parameter.', value: 'Its value.' },
  message: {
    prompt: 'Jinja template of the text; for the type `resource`, of its URI.',
    role: 'Role of the speaker. Default: `user`; clients receive `system` as `user`.',
    type: '`text` (default), or `resource`, which embeds the content of a resource.',
  },
};
