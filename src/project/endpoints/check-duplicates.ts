import type { Finding } from '../finding.ts';
import type { Endpoint, EndpointFile } from '../model.ts';
import { parseUriTemplate, toShape } from '../uri.ts';
import { positionAt } from '../yaml/position.ts';

interface Named {
  readonly file: EndpointFile;
  readonly endpoint: Endpoint;
}

/** The number of duplicates that one finding names; thousands of copies would each name thousands. */
const MOST_NAMED = 5;

/** Reports every file of a group that shares a name or a URI. Disabled endpoints do not count. */
export function checkDuplicates(files: readonly EndpointFile[]): readonly Finding[] {
  const named = files.flatMap((file) => (file.endpoint?.enabled ? [{ file, endpoint: file.endpoint }] : []));
  const groups = Map.groupBy(named, ({ endpoint }) => identityOf(endpoint));
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .flatMap((group) => group.map((one) => toFinding(one, group)));
}

function identityOf(endpoint: Endpoint): string {
  if (endpoint.kind !== 'resource') return endpoint.name;
  const parsed = parseUriTemplate(endpoint.uri);
  return 'template' in parsed ? toShape(parsed.template) : endpoint.uri;
}

function toFinding({ file, endpoint }: Named, group: readonly Named[]): Finding {
  const others = group
    .slice(0, MOST_NAMED + 1)
    .flatMap((other) => (other.file === file ? [] : [other.file.file]));
  const named = others.slice(0, MOST_NAMED);
  const more = group.length - 1 - named.length;
  const holders = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${group.length > 2 ? 'have' : 'has'}`;
  const key = endpoint.kind === 'resource' ? 'uri' : 'name';
  const shown = endpoint.kind === 'resource' ? endpoint.uri : endpoint.name;
  return {
    severity: 'error',
    code: 'duplicate-name',
    file: file.file,
    ...positionAt(file.positions, [endpoint.kind, key]),
    message: `The ${key === 'uri' ? 'URI' : 'name'} ${shown} is not unique: ${holders} it too.`,
    fix: 'Rename one of them, or set `enabled: false` for it.',
  };
}
