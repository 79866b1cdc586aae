import { SvcError } from '../errors.ts';

/** What went wrong while a template was rendered; never a value. */
export function templateError(why: string): SvcError {
  return new SvcError('internal', `The template cannot be rendered: ${why}.`);
}
