import { SvcError } from '../errors.ts';

/*
 * What the SDK imports from its platform. In built servers the bundler puts this file in the place of the SDK's own,
 * which brings a JSON Schema validator of 150 kB that compiles code at run time; answers to our questions are checked by us.
 */

/** Takes the place of the SDK's JSON Schema validator, which only the SDK's own elicitation would use. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new SvcError('internal', 'A built server has no JSON Schema validator.');
  }
}

/** The SDK's own stdio transport reads this; ours brings its streams. */
export const process = { stdin: undefined, stdout: undefined } as const;
