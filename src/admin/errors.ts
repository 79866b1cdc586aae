import { causesOf, ERRORS, type SvcError } from '../errors.ts';

/** The codes of the admin API by status (design, D12). */
const CODES = {
  400: 'bad_request',
  403: 'access_denied',
  404: 'not_found',
  405: 'method_not_allowed',
} as const;

/** One body for every error (spec, "Errors"). Whoever reads the socket owns the server: its own text is told. */
export function toAdminError(error: SvcError, debug: boolean): Response {
  const { http } = ERRORS[error.code];
  const known = http === 400 || http === 403 || http === 404 || http === 405;
  const body = {
    error: known ? CODES[http] : 'internal_error',
    message: error.message,
    ...(debug ? { detail: [error.code, ...causesOf(error)].join(': ') } : {}),
  };
  return Response.json(body, { status: known ? http : 500 });
}
