import { SvcError } from '../errors.ts';

/*
 * Replaces the file that the SDK imports from its platform. In built servers the bundler uses it in place of the SDK's own,
 * which brings a JSON Schema validator of 150 kB that compiles code at run time; we check the answers to our questions.
 */

/** Takes the place of the SDK's JSON Schema validator, which only the SDK's own elicitation would use. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new SvcError('internal', 'A built server has no JSON Schema validator.');
  }
}

/** The SDK's own stdio transport reads this; ours brings its streams. */
export const process = { stdin: undefined, stdout: undefined } as const;
