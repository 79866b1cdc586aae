import type { Finding } from './finding.ts';
import type { EndpointFile } from './model.ts';

/** A finding on every file that shares a name (for resources, a URI) with another, across all kinds. */
export function checkDuplicates(endpoints: readonly EndpointFile[]): readonly Finding[] {
  const byName = Map.groupBy(
    endpoints.filter(({ endpoint }) => endpoint !== null),
    ({ endpoint }) => identityOf(endpoint),
  );
  return [...byName].flatMap(([name, sharing]) =>
    sharing.length < 2 ? [] : sharing.map((file) => toFinding(name, file, sharing)),
  );
}

function identityOf(endpoint: EndpointFile['endpoint']): string {
  if (endpoint === null) return '';
  return endpoint.kind === 'resource' ? endpoint.uri.replace(/\{[^{}]*\}/g, '{}') : endpoint.name;
}

function toFinding(
  name: string,
  { file, kind, at }: EndpointFile,
  sharing: readonly EndpointFile[],
): Finding {
  const key = kind === 'resource' ? 'uri' : 'name';
  const others = sharing.filter((other) => other.file !== file).map((other) => other.file);
  return {
    severity: 'error',
    code: 'duplicate',
    file,
    ...at([key]),
    message: `The ${key} ${name} is also that of ${others.join(', ')}.`,
    fix: `Give each endpoint a ${key} of its own.`,
  };
}
