import type { Endpoint } from '../../project/model.ts';
import { classify } from '../../sql/statement.ts';
import { viewProblem } from '../view.ts';
import type { CatalogIssue } from './issue.ts';

/** Checks that the declared result fits the view. */
export function checkView(endpoint: Endpoint): readonly CatalogIssue[] {
  if (endpoint.kind !== 'tool' || endpoint.view === null || endpoint.view === 'auto') return [];
  const problem = viewProblem(endpoint.view, endpoint.returns);
  if (problem === null) return [];
  return [
    {
      code: 'result-form',
      path: ['view'],
      message: `The view ${endpoint.view} ${problem}`,
      fix: 'Correct `return`, or choose another view, such as `table` or `auto`.',
    },
  ];
}

/** Checks that a tool with `large_result` only reads, because its link makes the call again. */
export function checkLargeResult(endpoint: Endpoint): readonly CatalogIssue[] {
  if (endpoint.kind !== 'tool' || endpoint.largeResult === null) return [];
  const { source, annotations } = endpoint;
  const reads =
    source.language === 'sql' ? classify(source.text).mode === 'read' : annotations.readOnlyHint === true;
  if (reads) return [];
  const why = source.language === 'sql' ? 'the SQL writes' : 'the tool has no `readOnlyHint: true`';
  return [
    {
      code: 'result-form',
      path: ['large_result'],
      message: `\`large_result\` links to a call that is made again, but ${why}.`,
      fix:
        source.language === 'sql'
          ? 'Remove `large_result`.'
          : 'Remove `large_result`, or set `annotations.readOnlyHint: true` if the function changes nothing.',
    },
  ];
}
