import { SvcError } from '../errors.ts';

/** Parameters of a request. Each occurs once; an empty value counts as absent (RFC 6749, 3.1). */
export type Parameters = ReadonlyMap<string, string>;

const LONGEST: Readonly<Record<string, number>> = {
  client_id: 1_536,
  code: 8_192,
  redirect_uri: 2_048,
  refresh_token: 8_192,
  scope: 1_024,
  state: 1_024,
  ticket: 8_192,
  token: 16_384,
};
const MAX_LENGTH = 2_048;

/** Parses a query or a form. Throws request_invalid for a parameter that is repeated or too long. */
export function parseParameters(text: string): Parameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (value === '') continue;
    const earlier = parameters.get(name);
    if (earlier !== undefined && !(name === 'resource' && earlier === value))
      throw invalid(name, 'is repeated');
    if (value.length > (LONGEST[name] ?? MAX_LENGTH)) throw invalid(name, 'is too long');
    parameters.set(name, value);
  }
  return parameters;
}

/** Returns a required parameter. Throws request_invalid if it is missing. */
export function need(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value !== undefined) return value;
  throw invalid(name, 'is missing');
}

function invalid(name: string, what: string): SvcError {
  const shown = /^[\w-]{1,40}$/.test(name) ? `${name} ${what}` : `A parameter ${what}`;
  return new SvcError('request_invalid', `${shown}.`);
}
