import * as v from 'valibot';
import { RULE, SCOPES } from './endpoint.ts';
import { flag, formed, listOf, mapOf, optional, says, strictMap, text, word } from './shape.ts';

/** Text with at least one character and at most so many. */
const atMost = (most: number) =>
  v.pipe(
    word(),
    v.check(
      (value) => Array.from(value).length <= most,
      says(
        'wrong-value',
        `must have at most ${most} characters.`,
        'Shorten it, and move the rest below the front matter.',
      ),
    ),
    v.metadata({ json: { maxLength: most } }),
  );

/** The keys of a front matter that clients see: those of Agent Skills. */
export const PUBLISHED_KEYS = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
] as const;

const OWN_KEY = 'Write it below `metadata`, as text, or remove it.';

/** The front matter of a skill: the keys of Agent Skills, and keys that only svc reads. */
export const FRONT_MATTER = strictMap(
  {
    name: formed(
      /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
      'a name of 1 to 64 lowercase letters, digits and single hyphens',
      'Write the name of the file or folder, such as ask-orders.',
    ),
    description: atMost(1_024),
    license: optional(word()),
    compatibility: optional(atMost(500)),
    metadata: optional(mapOf(text())),
    'allowed-tools': optional(word()),
    tags: optional(listOf(word())),
    enabled: optional(flag()),
    scopes: optional(SCOPES),
    policies: optional(
      strictMap(
        { input: optional(listOf(RULE)) },
        { output: 'A skill is read as it is. Deny the reading under `input`.' },
      ),
    ),
  },
  { title: OWN_KEY, version: OWN_KEY, author: OWN_KEY, scope: 'Call it `scopes`.' },
);

export type ParsedFrontMatter = v.InferOutput<typeof FRONT_MATTER>;
