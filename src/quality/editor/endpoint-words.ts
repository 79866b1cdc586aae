type Words = { readonly [key: string]: string };

/** The keys that tools, resources and prompts share. */
const SHARED: Words = {
  title: 'Name that people see.',
  description: 'What it does and when to use it, for models and for people.',
  tags: 'Words that group endpoints; clients see them under `_meta`.',
  icons: 'Pictures that clients may show.',
  enabled: '`false` hides it from every client. Default: `true`.',
  scopes: 'Scopes that a caller must hold, all of them.',
  parameters: 'What a caller gives, in order. A parameter is optional exactly when it has a `default`.',
  return:
    'Type of the result. It decides the shape: all rows for `array`, the one row for `object`, the one value for the other types. Without it the result is a list of rows.',
  policies: 'Who may call it, and what of the result they may see.',
  tests: 'Calls with what they must answer; `svc test` runs them.',
  limits: 'Bounds of one call, where the usual ones do not fit.',
  confirm: 'Question that a person must agree to before each call.',
  ask: 'What is asked before each call; the answers are parameters too. Questions in a list of their own are asked together.',
};

/** Further keys of tools and resources. */
const SOURCED: Words = {
  language: 'Language of the source: `sql` (default) or `python`, which a file that ends in `.py` is.',
  source: 'What runs: SQL in place as `code`, or a `file`; of Python the function called like the endpoint.',
};

/** Further keys of resources and prompts. */
const COMPLETED: Words = {
  completion:
    'SQL that finds the values of a parameter, by its name; `$value` is what was typed so far, and the other parameters are what is filled in.',
};

const TYPE: Words = {
  type: 'Type of the value.',
  format: 'Form of a string.',
  title: 'Name that people see.',
  description: 'What the value means, with its unit or form.',
  default: 'Value where none is given; `null` makes it optional without a value.',
  examples: 'Values that show what is meant.',
  enum: 'The only values there are.',
  nullable: 'Whether `null` is a value too. Default: `false`, unless `default` or `enum` has null.',
  sensitive:
    'Redacted in the audit log; dropped by the policy action `filter_sensitive_fields`. Default: `false`.',
  minLength: 'Least number of characters of a string.',
  maxLength: 'Most characters of a string.',
  pattern: 'Regular expression that a string must contain a match of; anchor it with `^` and `$`.',
  minimum: 'Least number.',
  maximum: 'Greatest number.',
  exclusiveMinimum: 'Number that the value must be greater than.',
  exclusiveMaximum: 'Number that the value must be less than.',
  multipleOf: 'Number that the value must be a multiple of, exact for decimals: `0.01`.',
  minItems: 'Least number of items of an array.',
  maxItems: 'Most items of an array.',
  uniqueItems: 'Whether no two items may be equal. Default: `false`.',
  items: 'Type of the items of an array.',
  properties: 'Types of the properties of an object, by name.',
  required: 'Properties of an object that must be there.',
  additionalProperties: 'Whether an object may have other properties. Default: `true`.',
};

/** The meaning of each key of an endpoint file, by the part that contains it. A new key needs an entry here. */
export const ENDPOINT_WORDS: { readonly [part: string]: Words } = {
  file: {
    svc: 'Version of the file: `1`.',
    tool: 'Something that a model can do: a call with arguments.',
    resource: 'Something that a client can read, by its URI.',
    prompt: 'Messages that a person can choose to start with.',
    metadata: 'Anything of your own; clients do not see it.',
  },
  tool: {
    name: 'Name that clients call: up to 64 letters, digits, `_`, `.` and `-`.',
    ...SHARED,
    ...SOURCED,
    annotations: 'Hints that clients use to decide whether to ask before a call.',
    mime_type: '`image/…` or `audio/…`: the result is one BLOB, and clients get it as content of that type.',
    content:
      '`rows`: each row is a block of content, by its columns `type` (`text`, `image`, `audio`, `resource`, `resource_link`), `text`, `data`, `mime_type`, `uri`, `name`, `title`, `description`. Default: `value`.',
  },
  resource: {
    uri: 'Address, with `{name}` where a parameter stands: `shop://customers/{id}`.',
    name: 'Name that people see. Default: the `uri`.',
    ...COMPLETED,
    mime_type:
      'Media type of the content. Default: `text/plain` for a string, `application/json` for anything else.',
    ...SHARED,
    ...SOURCED,
  },
  prompt: {
    name: 'Name that clients ask for: up to 64 letters, digits, `_`, `.` and `-`.',
    ...SHARED,
    ...COMPLETED,
    return: 'Type of the result; for your own use, nothing is checked against it.',
    messages: 'The messages, in order.',
  },
  confirm: {
    question: 'What the person is asked: a template over the arguments.',
    otherwise: 'What happens where nobody can be asked: `deny` (default) or `allow`.',
  },
  question: {
    name: 'Name of the question; of kind `sampling` and `roots`, of the parameter that the answer becomes.',
    kind: "`form` (default): a person fills in `fields`; `sampling`: the client's model answers; `roots`: the client names its folders.",
    message: 'What is asked: a template over the arguments and earlier answers.',
    fields: 'The values of a form; each is a parameter from then on, `$name` in SQL.',
    max_tokens: "Most tokens of the model's answer. Default: 1000.",
    when: 'CEL over the arguments, earlier answers and `user`; asked only where it is true.',
    otherwise: 'Where the client cannot answer: `deny` (default), or `skip`: the defaults, or NULL.',
  },
  field: {
    name: 'Name of the value; `$name` in SQL, `{{ name }}` in templates.',
    titles: 'What to show for each value of the `enum`, in its order.',
    enumNames: 'The same for clients of revisions before 2025-11-25.',
    ...TYPE,
  },
  icon: {
    src: 'Address of the picture: `https:` or `data:`.',
    mime_type: 'Media type of the picture.',
    sizes: 'Sizes such as `48x48`, or `any`.',
    theme: 'Background that it is made for.',
  },
  annotations: {
    title: 'Name that people see.',
    readOnlyHint: 'It changes nothing. Default: whether the SQL only reads.',
    destructiveHint: 'It may destroy something, rather than only add.',
    idempotentHint: 'A second call with the same arguments changes nothing more.',
    openWorldHint: 'It deals with the world outside of the database.',
  },
  source: {
    code: 'The SQL itself, one statement; `$name` stands for the parameter of that name.',
    file: 'File with the SQL, relative to this file; a leading `/` means the root of the project.',
    language: 'As `language` of the endpoint, which is stronger.',
  },
  policies: {
    input: 'Rules about the call, by its arguments and its `user`. The first that denies ends it.',
    output:
      'Rules about the result, which is `response`, and the `user`. All that hold are applied, in order.',
  },
  rule: {
    condition: 'CEL expression; the rule acts where it is true. A condition that fails denies the call.',
    action: 'What to do; the actions on fields are for `output`.',
    reason: 'Why; the caller reads it where the call is denied.',
    fields:
      'Fields for `filter_fields` and `mask_fields`, in any case of letters, as SQL has it; `address.street` leads into objects and through lists.',
  },
  limits: {
    rows: 'Most rows of a result; more are cut visibly. Default: 10,000.',
    bytes: 'Most bytes of a result. Default: 4 MiB.',
    timeout: 'Seconds that the statement may take. Default: 30.',
  },
  parameter: { name: 'Name of the parameter; `$name` in SQL, `{{ name }}` in templates.', ...TYPE },
  type: { name: 'Allowed, and without a meaning here.', ...TYPE },
  test: {
    name: 'Name of the test.',
    description: 'What the test would catch.',
    arguments: 'Arguments of the call.',
    user_context: 'Who calls; nobody in particular when left out. `--user-context` is stronger.',
    result: 'The whole result, exactly; `null` is a result too.',
    result_contains:
      'Keys of the result with these values; of a list, one item that has them; of a text, a part.',
    result_not_contains:
      'Fields that the result, or any item of it, must not have; `address.street` leads inwards.',
    result_contains_item: 'Item that a list must have; of an object, some of its keys are enough.',
    result_contains_all: 'Items that a list must have, in any order, each as in `result_contains_item`.',
    result_length: 'How many items a list must have.',
    result_contains_text: 'Text that must be somewhere in the result.',
    denied: 'Whether a policy must deny the call.',
    error_contains: 'Text that must be in the error; the call must fail.',
  },
  argument: { key: 'Name of the parameter.', value: 'Its value.' },
  message: {
    prompt: 'Jinja template of the text; for the type `resource`, of its URI.',
    role: 'Who says it. Default: `user`; `system` reaches clients as `user`.',
    type: '`text` (default), or `resource`: the content of a resource goes along.',
  },
};
