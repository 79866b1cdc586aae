import { byPlace, type Finding } from '../../project/finding.ts';
import type { Endpoint, Project } from '../../project/model.ts';
import { SQL_TOOLS } from '../../project/site-model.ts';
import { positionAt } from '../../project/yaml/position.ts';
import { suggestName } from '../../types/nearest.ts';
import type { SuiteFile } from './suite.ts';

type Known = Pick<Project, 'site' | 'endpoints'>;

/** Reports endpoints and parameters that suites name and the project lacks. Never throws. */
export function checkSuites(files: readonly SuiteFile[], project: Known): readonly Finding[] {
  const offered = project.endpoints.flatMap(({ endpoint }) =>
    endpoint?.enabled && endpoint.kind !== 'prompt' ? [endpoint] : [],
  );
  const names = [...offered.flatMap(namesOf), ...(project.site?.sqlTools.enabled ? SQL_TOOLS : [])];
  // An unreadable endpoint file may define any name.
  const complete = project.endpoints.every(({ endpoint }) => endpoint !== null);
  return files
    .flatMap((file) =>
      namedIn(file).flatMap((named) => checkNamed(file, named, { offered, names, complete })),
    )
    .toSorted(byPlace);
}

interface Offered {
  readonly offered: readonly Endpoint[];
  readonly names: readonly string[];
  readonly complete: boolean;
}

interface Named {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly args: readonly string[];
}

/** The names by which assertions may refer to an endpoint. */
function namesOf(endpoint: Endpoint): readonly string[] {
  return endpoint.kind === 'resource' ? [...new Set([endpoint.uri, endpoint.name])] : [endpoint.name];
}

function namedIn({ suite }: SuiteFile): readonly Named[] {
  const offered = (suite?.offer ?? []).map((name, at) => ({ path: ['offer', at], name, args: [] }));
  const asserted = (suite?.tests ?? []).flatMap(({ assertions }, index): readonly Named[] => {
    const path = ['tests', index, 'assertions'];
    const plain = (key: string, names: readonly string[]): readonly Named[] =>
      names.map((name, at) => ({ path: [...path, key, at], name, args: [] }));
    return [
      ...assertions.mustCall.map(({ tool, args }, at) => ({
        path: [...path, 'must_call', at],
        name: tool,
        args: Object.keys(args),
      })),
      ...plain('must_not_call', assertions.mustNotCall),
      ...plain('must_call_in_order', assertions.mustCallInOrder),
    ];
  });
  return [...offered, ...asserted];
}

function checkNamed(file: SuiteFile, { path, name, args }: Named, known: Offered): readonly Finding[] {
  const endpoint = known.offered.find((one) => namesOf(one).includes(name));
  if (endpoint === undefined) {
    if (!known.complete || known.names.includes(name)) return [];
    const where = args.length > 0 ? [...path, 'tool'] : path;
    const otherwise = 'Name a tool, or the URI of a resource, as `svc list` shows it.';
    const fix = suggestName(name, known.names, otherwise);
    return [toFinding(file, where, `No model is offered ${JSON.stringify(name.slice(0, 64))}.`, fix)];
  }
  const parameters = endpoint.parameters.map((parameter) => parameter.name);
  return args
    .filter((arg) => !parameters.includes(arg))
    .map((arg) => {
      const fix = suggestName(arg, parameters, `It has ${parameters.join(', ') || 'none'}.`);
      return toFinding(file, [...path, 'args', arg], `${name} has no parameter ${arg}.`, fix);
    });
}

function toFinding(
  { file, positions }: SuiteFile,
  path: readonly (string | number)[],
  message: string,
  fix: string,
): Finding {
  return { severity: 'error', code: 'evals', file, ...positionAt(positions, path), message, fix };
}
