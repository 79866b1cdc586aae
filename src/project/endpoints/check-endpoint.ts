import { nearestName } from '../../types/nearest.ts';
import type { SourceIssue } from '../finding.ts';
import type { Endpoint, ResourceEndpoint, Source, ToolEndpoint } from '../model.ts';
import { problemAt } from '../schema/issues.ts';
import { parseUriTemplate } from '../uri.ts';
import type { YamlFile } from '../yaml/yaml.ts';

/** Checks whether the parts of one endpoint fit together. */
export function checkEndpoint(endpoint: Endpoint, yaml: YamlFile): readonly SourceIssue[] {
  if (endpoint.kind === 'prompt') return [];
  const source = [
    ...checkSource(endpoint.source, endpoint.kind, yaml),
    ...(endpoint.kind === 'tool' ? [...checkContent(endpoint, yaml), ...checkRows(endpoint, yaml)] : []),
  ];
  return endpoint.kind === 'resource' ? [...source, ...checkUri(endpoint, yaml)] : source;
}

function checkSource({ language, file }: Source, kind: string, yaml: YamlFile): readonly SourceIssue[] {
  if (language !== 'python' || file !== null) return [];
  return [
    problemAt(yaml, [kind, 'source', 'code'], {
      code: 'source',
      message: 'contains Python code, which must be in a file.',
      fix: 'Move it to a .py file and name that file under `file`.',
    }),
  ];
}

/** `content: rows` needs rows: neither a `return` with one value nor a BLOB. */
function checkContent({ content, returns, mimeType }: ToolEndpoint, yaml: YamlFile): readonly SourceIssue[] {
  if (content !== 'rows' || (mimeType === null && (returns === null || returns.type === 'array'))) return [];
  return [
    problemAt(yaml, ['tool', 'content'], {
      code: 'content',
      message: 'is `rows`, so `return` must be an array and `mime_type` must be absent.',
      fix: 'Remove `content`, or correct `return` and `mime_type`.',
    }),
  ];
}

/** `format` and `large_result` need rows, and a link makes the call again, so the call must change and ask nothing. */
function checkRows(tool: ToolEndpoint, yaml: YamlFile): readonly SourceIssue[] {
  const { format, largeResult, view, content, mimeType, confirm, ask } = tool;
  const unfit = mimeType !== null || content === 'rows';
  const single = tool.returns !== null && tool.returns.type !== 'array';
  const issue = (key: string, message: string, fix: string) =>
    problemAt(yaml, ['tool', key], { code: 'result-form', message, fix });
  return [
    ...(format !== null && (unfit || (single && tool.returns?.type !== 'object'))
      ? [
          issue(
            'format',
            'needs a result of rows or an object.',
            'Remove `format`, or correct `return`, `content` and `mime_type`.',
          ),
        ]
      : []),
    ...(view !== null && unfit
      ? [issue('view', 'needs a value or rows.', 'Remove `view`, or remove `content` and `mime_type`.')]
      : []),
    ...(largeResult !== null && (unfit || single)
      ? [
          issue(
            'large_result',
            'needs a result of rows.',
            'Remove `large_result`, or make `return` an array, without `content` and `mime_type`.',
          ),
        ]
      : []),
    ...(largeResult !== null && (confirm !== null || ask.length > 0)
      ? [
          issue(
            'large_result',
            'links to a call that is made again, so it cannot be used with `confirm` or `ask`.',
            'Remove one of them.',
          ),
        ]
      : []),
  ];
}

/** Placeholders and parameters must be the same names, because a client sends nothing but the URI. */
function checkUri({ uri, parameters }: ResourceEndpoint, yaml: YamlFile): readonly SourceIssue[] {
  const parsed = parseUriTemplate(uri);
  const at = ['resource', 'uri'];
  if ('problem' in parsed) {
    return [problemAt(yaml, at, { code: 'uri', message: parsed.problem, fix: parsed.fix })];
  }
  const { variables } = parsed.template;
  const names = parameters.map(({ name }) => name);
  const undeclared = variables
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = nearestName(name, names);
      const fix = near === null ? 'Declare it under `parameters`.' : `Did you mean {${near}}?`;
      return problemAt(yaml, at, { code: 'uri', message: `has {${name}}, which is not declared.`, fix });
    });
  const unused = names.flatMap((name, index) =>
    variables.includes(name)
      ? []
      : [
          problemAt(yaml, ['resource', 'parameters', index, 'name'], {
            code: 'uri',
            message: `is ${name}, which is not in the \`uri\`, so clients cannot send it.`,
            fix: `Write {${name}} into the \`uri\`, or remove the parameter.`,
          }),
        ],
  );
  return [...undeclared, ...unused];
}
