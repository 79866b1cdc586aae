import { functionNameOf } from '../catalog/function-name.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import type { Finding } from '../project/finding.ts';
import type { EndpointFile, ResourceEndpoint, ToolEndpoint } from '../project/model.ts';
import { type Path, positionAt } from '../project/yaml/position.ts';
import { nearestName } from '../types/nearest.ts';
import type { PythonFacts } from './python-facts.ts';
import { checkPythonParameters } from './python-parameters.ts';

/** An endpoint in Python. */
export interface PythonEndpoint {
  readonly file: EndpointFile;
  readonly endpoint: ToolEndpoint | ResourceEndpoint;
  /** The path of its Python file. */
  readonly source: string;
}

/** The served endpoints in Python. */
export function pythonEndpoints(files: readonly EndpointFile[]): readonly PythonEndpoint[] {
  return files.flatMap((file) => {
    const { endpoint } = file;
    if (endpoint === null || endpoint.kind === 'prompt' || !endpoint.enabled) return [];
    const { language, file: source } = endpoint.source;
    return language === 'python' && source !== null ? [{ file, endpoint, source }] : [];
  });
}

/** Checks whether each endpoint's function exists and accepts the declared parameters. */
export function checkPython(
  endpoints: readonly PythonEndpoint[],
  facts: { readonly [file: string]: PythonFacts },
): readonly Finding[] {
  const broken = Object.entries(facts).flatMap(([file, found]) =>
    'error' in found ? [toSyntaxFinding(file, found.error)] : [],
  );
  return [...broken, ...endpoints.flatMap((endpoint) => checkEndpoint(endpoint, facts[endpoint.source]))];
}

function toSyntaxFinding(
  file: string,
  { message, line, column }: { message: string; line: number; column: number },
): Finding {
  const text = `This is not valid Python: ${message}.`;
  return {
    severity: 'error',
    code: 'python-syntax',
    file,
    line,
    column,
    message: text,
    fix: 'Correct the line.',
  };
}

function checkEndpoint(
  { file, endpoint, source }: PythonEndpoint,
  facts: PythonFacts | undefined,
): readonly Finding[] {
  if (facts === undefined || 'error' in facts) return [];
  const name = functionNameOf(endpoint);
  const at = (path: Path) => ({ file: file.file, ...positionAt(file.positions, [endpoint.kind, ...path]) });
  const found = Object.hasOwn(facts.functions, name) ? facts.functions[name] : undefined;
  if (found === undefined) {
    if (facts.open || facts.names.includes(name)) return [];
    const known = Object.keys(facts.functions);
    const near = nearestName(name, known);
    return [
      {
        severity: 'error',
        code: 'python-function',
        ...at(['source', 'file']),
        message: `${source} has no function ${name}, which ${endpoint.name} calls.`,
        fix:
          near === null
            ? `Write \`def ${name}(…):\` into ${source}.`
            : `Did you mean ${near}? Name it ${name}.`,
      },
    ];
  }
  if (found.decorated) return [];
  const declared = [...endpoint.parameters, ...answerParameters(endpoint.ask)];
  return checkPythonParameters(found, declared).map(({ parameter, path, ...problem }) => ({
    severity: 'error',
    ...problem,
    ...(path === null
      ? { file: source, line: parameter?.line ?? found.line, column: parameter?.column ?? 1 }
      : at(path)),
  }));
}
