import { SvcError } from '../errors.ts';

/**
 * Parameters of a request; an empty value counts as absent. Only those that are read are checked, because others must be
 * ignored (RFC 6749, 3.1 and 4.1.2).
 */
export interface Parameters {
  /** Returns a parameter. Throws request_invalid if it is repeated or too long. */
  get(name: string): string | undefined;
  has(name: string): boolean;
}

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

/** Parses a query or a form. */
export function parseParameters(text: string): Parameters {
  const parameters = new URLSearchParams(text);
  const valuesOf = (name: string) => parameters.getAll(name).filter((value) => value !== '');
  return {
    has: (name) => valuesOf(name).length > 0,
    get: (name) => {
      const [value, ...others] = valuesOf(name);
      if (value === undefined) return undefined;
      const isRepeated = others.some((other) => name !== 'resource' || other !== value);
      if (isRepeated) throw invalid(name, 'is repeated');
      if (value.length > (LONGEST[name] ?? MAX_LENGTH)) throw invalid(name, 'is too long');
      return value;
    },
  };
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
