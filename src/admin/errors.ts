import { causesOf, ERRORS, type SvcError } from '../errors.ts';

/** The codes of the admin API by status (design, D12); every other status is 500 `internal_error`. */
const CODES: { readonly [status: number]: string } = {
  400: 'bad_request',
  403: 'access_denied',
  404: 'not_found',
  405: 'method_not_allowed',
};

/** The response of every error (spec, "Errors"). It shows the error's own text, because only owners of the server reach the socket. */
export function toAdminError(error: SvcError, debug: boolean): Response {
  const { http } = ERRORS[error.code];
  const code = CODES[http];
  const body = {
    error: code ?? 'internal_error',
    message: error.message,
    ...(debug ? { detail: [error.code, ...causesOf(error)].join(': ') } : {}),
  };
  return Response.json(body, { status: code === undefined ? 500 : http });
}
