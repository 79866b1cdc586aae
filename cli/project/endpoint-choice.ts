import { SvcError } from '../../src/errors.ts';
import { type Finding, preventsServing } from '../../src/project/finding.ts';
import { ENDPOINT_KINDS, type EndpointFile, type EndpointKind } from '../../src/project/model.ts';
import { nearestName } from '../../src/types/nearest.ts';
import type { CheckedProject } from './project.ts';

/** Parses a kind of endpoint. Throws usage. */
export function parseKind(given: string): EndpointKind {
  const kind = ENDPOINT_KINDS.find((known) => known === given);
  if (kind) return kind;
  throw new SvcError('usage', `${given} is not a kind of endpoint. Choose ${ENDPOINT_KINDS.join(', ')}.`);
}

/** Chooses endpoint files by `[kind [name]]`. A resource is named by its URI or its name. */
export function chooseEndpoints(
  { project: { endpoints } }: CheckedProject,
  [kind, name]: readonly (string | undefined)[],
): readonly EndpointFile[] {
  if (kind === undefined) return endpoints;
  const wanted = parseKind(kind);
  const ofKind = endpoints.filter((file) => file.kind === wanted);
  if (name === undefined) return ofKind;
  const found = ofKind.filter((file) => namesOf(file).includes(name));
  if (found.length === 0) throw unknownEndpoint(wanted, name, ofKind);
  return found;
}

/** The errors of an endpoint, which keep it from running. */
export function errorsOf(
  { project, findings }: CheckedProject,
  kind: EndpointKind,
  name: string,
): readonly Finding[] {
  const files = project.endpoints.filter((file) => file.kind === kind && namesOf(file).includes(name));
  return findings.filter(
    (finding) => preventsServing(finding) && files.some(({ file }) => file === finding.file),
  );
}

/** The error for an unknown name, with a suggestion. */
export function unknownEndpoint(kind: EndpointKind, name: string, files: readonly EndpointFile[]): SvcError {
  const known = files.flatMap(namesOf);
  const near = nearestName(name, known);
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`;
  const lines = [
    `There is no ${kind} named ${name}.${near === null ? '' : ` Did you mean ${near}?`}`,
    known.length === 0 ? `This project has no ${kind}s.` : `${title}: ${known.slice(0, 20).join(', ')}`,
  ];
  if (files.some(({ endpoint }) => endpoint === null)) {
    lines.push('Some endpoint files have errors; `svc validate` shows them.');
  }
  return new SvcError('endpoint_unknown', lines.join('\n'), { detail: { name, did_you_mean: near } });
}

function namesOf({ endpoint }: EndpointFile): readonly string[] {
  if (endpoint === null) return [];
  return endpoint.kind === 'resource' ? [...new Set([endpoint.uri, endpoint.name])] : [endpoint.name];
}
