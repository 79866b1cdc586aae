/** The meaning of each key of a suite of evaluations. */
export const EVALS_WORDS: { readonly [key: string]: string } = {
  svc: 'Version of the file: `1`.',
  suite: 'Name of the suite: `svc evals <suite>` runs it alone.',
  description: 'What the suite is about.',
  model: 'Model of `models` in the user file. `--model` is stronger; without both it is `models.default`.',
  system: 'Instructions to the model, before every prompt of the suite.',
  offer:
    'Tools and resources that models see, by their names; all of them when left out. Vendors take about a hundred.',
  limits: 'Bounds of each conversation.',
  'limits.turns': 'How often the model is asked, at most. Default: 10.',
  'limits.result_bytes':
    'Bytes of one result that the model gets to read; more is cut visibly. Default: 65,536.',
  'limits.tokens': 'Tokens of one answer, at most. Default: 4,096.',
  tests: 'The questions.',
  'tests[].name': 'Name of the test; its transcript is called like it.',
  'tests[].description': 'What the test would catch.',
  'tests[].prompt': 'What the model is asked.',
  'tests[].user_context':
    'Who the model calls for; nobody in particular when left out. `--user-context` is stronger.',
  'tests[].assertions': 'What must hold, all of it. Without any, the model must come to an answer.',
  'tests[].assertions.must_call': 'Calls that must be made.',
  'tests[].assertions.must_call[].tool': 'A tool, or a resource by its URI or name.',
  'tests[].assertions.must_call[].args':
    'Arguments with these values, as the model sent them or as the endpoint took them; there may be others.',
  'tests[].assertions.must_not_call': 'Tools and resources that must not be called.',
  'tests[].assertions.must_call_in_order':
    'Tools and resources that must be called in this order; others may come between.',
  'tests[].assertions.max_calls': 'How many calls may be made, of any kind.',
  'tests[].assertions.answer_contains': 'Texts that must be in the final answer, in any case of letters.',
  'tests[].assertions.answer_not_contains': 'Texts that must not be in it, in any case of letters.',
  'tests[].assertions.answer_matches':
    'Regular expressions of JavaScript that must match the final answer; `(?i:…)` leaves the case open.',
};
