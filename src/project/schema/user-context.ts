import * as v from 'valibot';
import { freeMap, listOf, optional, text } from './shape.ts';

/** The keys of a simulated user that have a text, and those that have a list of texts. */
export const USER_TEXTS = [
  'id',
  'user_id',
  'username',
  'email',
  'name',
  'provider',
  'role',
  'external_token',
] as const;
export const USER_LISTS = ['permissions', 'groups', 'capabilities'] as const;

const KNOWN = v.object(
  Object.fromEntries([
    ...USER_TEXTS.map((key) => [key, optional(text())] as const),
    ...USER_LISTS.map((key) => [key, optional(listOf(text()))] as const),
  ]),
);

/** A simulated user (spec, "User context fields"). Any other key is a claim of any type. */
export const USER_CONTEXT = v.pipe(
  freeMap(),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { issues = [] } = v.safeParse(KNOWN, dataset.value);
    for (const { message, path } of issues) addIssue(path ? { message, path } : { message });
  }),
  v.metadata({
    json: {
      type: 'object',
      patternProperties: {
        [`^(?:${USER_TEXTS.join('|')})$`]: { type: ['string', 'null'] },
        [`^(?:${USER_LISTS.join('|')})$`]: { type: ['array', 'null'], items: { type: 'string' } },
      },
    },
  }),
);
