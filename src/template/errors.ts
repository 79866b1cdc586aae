import { SvcError } from '../errors.ts';

/** The error of a template that fails while it is rendered. `why` must not repeat a value. */
export function templateError(why: string): SvcError {
  return new SvcError('internal', `The template cannot be rendered: ${why}.`);
}
