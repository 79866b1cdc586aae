import type { Finding } from './finding.ts';
import type { Endpoint, EndpointFile } from './model.ts';
import { positionAt } from './position.ts';
import { parseUriTemplate, toShape } from './uri.ts';

interface Named {
  readonly file: EndpointFile;
  readonly endpoint: Endpoint;
}

/** A finding on every file of those that share a name or a URI; disabled endpoints are in nobody's way. */
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
  const others = group.filter((other) => other.file !== file).map((other) => other.file.file);
  const key = endpoint.kind === 'resource' ? 'uri' : 'name';
  const shown = endpoint.kind === 'resource' ? endpoint.uri : endpoint.name;
  return {
    severity: 'error',
    code: 'duplicate-name',
    file: file.file,
    ...positionAt(file.positions, [endpoint.kind, key]),
    message: `The ${key === 'uri' ? 'URI' : 'name'} ${shown} is taken: ${others.join(', ')} has it too.`,
    fix: 'Rename one of them, or set `enabled: false` for it.',
  };
}
