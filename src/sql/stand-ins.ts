import { type ErrorCode, SvcError } from '../errors.ts';

/** One call of each function about the caller (spec, "SQL functions available when served"). */
export const CALLER_CALLS = {
  get_user_external_token: 'get_user_external_token()',
  get_username: 'get_username()',
  get_user_provider: 'get_user_provider()',
  get_user_email: 'get_user_email()',
  get_request_header: "get_request_header('any')",
  get_request_headers_json: 'get_request_headers_json()',
} as const;

/** The error for a database that defines a function with a reserved name. Such a function could return anything inside views. */
export function standInError(name: string, code: ErrorCode): SvcError {
  return new SvcError(
    code,
    `The database defines a function ${name}, which would replace svc's function about the caller. Remove it: \`DROP MACRO ${name}\`.`,
  );
}
