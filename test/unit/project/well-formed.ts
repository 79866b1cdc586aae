type Data = Readonly<Record<string, unknown>>;

/** Keys of each kind of map: those with `!` are required. Written by hand from the spec, apart from the schemas. */
const MAPS: Readonly<Record<string, string>> = {
  file: 'svc metadata tool resource prompt',
  tool: 'name! title description tags icons annotations enabled scopes confirm ask content mime_type limits language parameters return source! policies tests',
  resource:
    'uri! name title description mime_type tags icons enabled scopes confirm ask completion limits language parameters return source! policies tests',
  prompt:
    'name! title description tags icons enabled scopes confirm ask completion limits parameters return policies tests messages!',
  source: 'code file language',
  node: 'name type! format title description default examples enum nullable sensitive minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems items properties required additionalProperties',
  policies: 'input output',
  rule: 'condition! action! reason fields',
  test: 'name! description arguments user_context result result_contains result_not_contains result_contains_item result_contains_all result_length result_contains_text denied error_contains',
  argument: 'key! value!',
  message: 'prompt! role type',
  limits: 'rows bytes timeout',
  annotations: 'title readOnlyHint destructiveHint idempotentHint openWorldHint',
  icon: 'src! mime_type sizes theme',
};

/** Which of a map's keys lead to which kind; `*` is a list of them, `.` a map of them. */
const BELOW: Readonly<Record<string, string>> = {
  tool: 'parameters*node return=node source=source policies=policies tests*test limits=limits annotations=annotations icons*icon',
  resource: 'parameters*node return=node source=source policies=policies tests*test limits=limits icons*icon',
  prompt:
    'parameters*node return=node policies=policies tests*test messages*message limits=limits icons*icon',
  file: 'tool=tool resource=resource prompt=prompt',
  node: 'items=node properties.node',
  policies: 'input*rule output*rule',
  test: 'arguments*argument',
};

/** What keeps parsed YAML from being an endpoint file; empty when it is one. A second opinion on the loader. */
export function complaints(value: unknown, kind = 'file'): readonly string[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return [`${kind} is no map`];
  const data = value as Data;
  const keys = (MAPS[kind] ?? '').split(' ');
  const known = keys.map((key) => key.replace('!', ''));
  return [
    ...Object.keys(data)
      .filter((key) => !known.includes(key))
      .map((key) => `${kind} has ${key}`),
    ...keys
      .filter((key) => key.endsWith('!') && !(key.slice(0, -1) in data))
      .map((key) => `${kind} lacks ${key}`),
    ...(BELOW[kind] ?? '')
      .split(' ')
      .filter(Boolean)
      .flatMap((step) => below(data, step)),
  ];
}

function below(data: Data, step: string): readonly string[] {
  const [, key = '', how, kind = ''] = /^(\w+)([*=.])(\w+)$/.exec(step) ?? [];
  const value = data[key];
  if (value === null || value === undefined) return [];
  if (how === '=') return complaints(value, kind);
  const isRight = how === '*' ? Array.isArray(value) : typeof value === 'object' && !Array.isArray(value);
  if (!isRight) return [`${key} has the wrong shape`];
  return Object.values(value).flatMap((one) =>
    one === null ? [`${key} has nothing`] : complaints(one, kind),
  );
}
