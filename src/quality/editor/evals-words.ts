/** The meaning of each key of a suite of evaluations. */
export const EVALS_WORDS: { readonly [key: string]: string } = {
  svc: 'Version of the file: `1`.',
  suite: 'Name of the suite: `svc evals <suite>` runs it alone.',
  description: 'What the suite is about.',
  model:
    'Name of a model under `models` of the user file. `--model` takes precedence. Default: `models.default`.',
  system: 'Instructions to the model, before every prompt of the suite.',
  offer:
    'Tools and resources that models see, by their names; all by default. Vendors accept about a hundred.',
  limits: 'Limits of each conversation.',
  'limits.turns': 'Most requests to the model. Default: 10.',
  'limits.result_bytes':
    'Most bytes of one result for the model; the rest is cut, with a note. Default: 65,536.',
  'limits.tokens': 'Most tokens of one answer. Default: 4,096.',
  tests: 'The questions.',
  'tests[].name': 'Name of the test and of its transcript.',
  'tests[].description': 'Mistake that the test detects.',
  'tests[].prompt': 'The question to the model.',
  'tests[].user_context':
    'User on whose behalf the model calls; none by default. `--user-context` takes precedence.',
  'tests[].assertions': 'Assertions, all of which must hold. Without any, the model must give an answer.',
  'tests[].assertions.must_call': 'Calls that must be made.',
  'tests[].assertions.must_call[].tool': 'A tool, or a resource by its URI or name.',
  'tests[].assertions.must_call[].args':
    'Arguments with these values, as the model sent them or as the endpoint converted them. Other arguments are allowed.',
  'tests[].assertions.must_not_call': 'Tools and resources that must not be called.',
  'tests[].assertions.must_call_in_order':
    'Tools and resources that must be called in this order; other calls may come in between.',
  'tests[].assertions.max_calls': 'Most calls of any kind.',
  'tests[].assertions.answer_contains': 'Texts that the final answer must contain, regardless of case.',
  'tests[].assertions.answer_not_contains':
    'Texts that the final answer must not contain, regardless of case.',
  'tests[].assertions.answer_matches':
    'Regular expressions of JavaScript that must match the final answer; `(?i:…)` ignores the case.',
};
