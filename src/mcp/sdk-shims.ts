import { SvcError } from '../errors.ts';

/*
 * What the SDK imports from its platform. In built servers the bundler puts this file in the place of the SDK's own,
 * which brings a JSON Schema validator of 150 kB that compiles code at run time; answers to our questions are checked by us.
 */

/** Stands where the SDK expects a validator, which only its own way to ask would use. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new SvcError('internal', 'A built server has no JSON Schema validator.');
  }
}

/** The SDK's own stdio transport reads this; ours brings its streams. */
export const process = { stdin: undefined, stdout: undefined } as const;
