import * as v from 'valibot';
import { withTypedValues } from '../../types/typed-values.ts';
import { ASK_OTHERWISE, CONFIRM_OTHERWISE, type Field, QUESTION_KINDS } from '../elicitation-model.ts';
import { choice, listOf, optional, says, strictMap, text, whole, word } from './shape.ts';
import { reportNode, TYPE_ENTRIES, toNode, VALUE_NAME } from './type-node.ts';

const CONFIRM_MAP = strictMap({ question: word(), otherwise: optional(choice(CONFIRM_OTHERWISE)) });

/** `confirm` of an endpoint: the question alone, or a map with the outcome if the client cannot ask. */
export const CONFIRM = v.pipe(
  v.unknown(),
  v.transform((value) => (typeof value === 'string' ? { question: value } : value)),
  CONFIRM_MAP,
  v.metadata({ or: word() }),
);

const FIELD = v.pipe(
  strictMap({
    name: VALUE_NAME,
    titles: optional(listOf(text())),
    enumNames: optional(listOf(text())),
    ...TYPE_ENTRIES,
  }),
  v.transform(
    ({ name, titles, enumNames, ...node }): Field => ({
      name,
      ...toNode(node),
      ...(titles ? { titles } : {}),
      ...(enumNames ? { enumNames } : {}),
    }),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed) reportNode(dataset.value, addIssue);
  }),
  v.check(
    ({ type, items }) => type !== 'object' && (type !== 'array' || items?.enum !== undefined),
    says(
      'wrong-value',
      'is not allowed in a form.',
      'Use text, a number, true or false, or an array of an enum.',
    ),
  ),
  v.check(
    (field) => [field.titles, field.enumNames].every((words) => !words || words.length === countOf(field)),
    says(
      'wrong-value',
      'does not have one title for each value of its `enum`.',
      'Write as many titles as values.',
    ),
  ),
  v.transform(withTypedValues),
);

function countOf({ enum: own, items }: Field): number {
  return (own ?? items?.enum ?? []).length;
}

const QUESTION = v.pipe(
  strictMap({
    name: VALUE_NAME,
    kind: optional(choice(QUESTION_KINDS)),
    message: optional(word()),
    fields: optional(listOf(FIELD)),
    max_tokens: optional(whole(1, 1_000_000)),
    when: optional(word()),
    otherwise: optional(choice(ASK_OTHERWISE)),
  }),
  v.check(
    ({ kind, message }) => (kind === 'roots') === ((message ?? null) === null),
    says('wrong-value', 'must have a `message`, unless its kind is roots.', 'Write the question.'),
  ),
  v.check(
    ({ kind, fields }) => ((kind ?? 'form') === 'form') === (fields ?? []).length > 0,
    says(
      'wrong-value',
      'must have `fields` exactly when it is a form.',
      'List the values that a person fills in; each becomes a parameter of the SQL.',
    ),
  ),
  v.check(
    ({ kind, max_tokens }) => kind === 'sampling' || (max_tokens ?? null) === null,
    says('wrong-value', 'has `max_tokens`, which only the kind sampling allows.', 'Remove it.'),
  ),
  v.check(
    ({ otherwise, fields }) =>
      otherwise !== 'skip' || (fields ?? []).every((field) => field.default !== undefined),
    says('wrong-value', 'cannot be skipped, because one of its fields has no `default`.', 'Write defaults.'),
  ),
);

/** `ask` of an endpoint: a list of questions. The server asks the questions of a nested list together. */
export const ASK = listOf(
  v.pipe(
    v.unknown(),
    v.transform((value) => (Array.isArray(value) ? value : [value])),
    listOf(QUESTION),
    v.metadata({ or: QUESTION }),
  ),
);

export type ParsedConfirm = v.InferOutput<typeof CONFIRM>;
export type ParsedAsk = v.InferOutput<typeof ASK>;
