import type { ResourceEndpoint, ToolEndpoint } from '../../project/model.ts';
import { lexSql } from '../../sql/lexer.ts';
import { classify } from '../../sql/statement.ts';
import type { CatalogIssue } from './issue.ts';

/** Functions with answers of one request: a kept result would hold a header or a token. */
const OF_ONE_REQUEST = /^"?(get_request_headers?(?:_json)?|get_user_external_token)"?$/i;

/** Checks whether results of an endpoint with `cache` can be kept for other calls of the same caller. */
export function checkCache({ cache, source }: ToolEndpoint | ResourceEndpoint): readonly CatalogIssue[] {
  if (cache === undefined) return [];
  const reason = reasonAgainst(source);
  return reason === null ? [] : [{ code: 'cache', path: ['cache'], ...reason }];
}

function reasonAgainst({
  language,
  text,
}: ToolEndpoint['source']): Pick<CatalogIssue, 'message' | 'fix'> | null {
  if (language === 'python') {
    return { message: '`cache` keeps results of SQL, but the source is Python.', fix: 'Remove `cache`.' };
  }
  const { mode, operation } = classify(text);
  if (mode === 'write') {
    return {
      message: `\`cache\` keeps results, but the SQL writes: ${operation}.`,
      fix: 'Remove `cache`: each call must write.',
    };
  }
  const found = lexSql(text).tokens.find(
    ({ kind, start, end }) =>
      (kind === 'word' || kind === 'quoted') && OF_ONE_REQUEST.test(text.slice(start, end)),
  );
  if (found === undefined) return null;
  return {
    message: `\`cache\` keeps results, but the SQL reads ${text.slice(found.start, found.end)}, which belongs to one request.`,
    fix: 'Remove `cache`, or tell callers apart by get_username(), get_user_email() or get_user_provider().',
  };
}
