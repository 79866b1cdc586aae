import type { Finding } from '../project/finding.ts';
import type { Endpoint, EndpointFile, Project } from '../project/model.ts';
import { positionAt } from '../project/position.ts';
import { scanParameters } from '../sql/parameters.ts';
import { statementsOf } from '../sql/statement.ts';
import { nearestName } from '../types/nearest.ts';

/** Checks what an endpoint's parts say about each other, without a database. */
export function checkCatalog(project: Project): readonly Finding[] {
  return project.endpoints.flatMap((file) => (file.endpoint === null ? [] : checkSql(file, file.endpoint)));
}

function checkSql(file: EndpointFile, endpoint: Endpoint): readonly Finding[] {
  if (endpoint.kind === 'prompt' || endpoint.source.language !== 'sql') return [];
  const { text, line, column } = endpoint.source;
  const problem = (code: string, message: string, fix: string): Finding => ({
    severity: 'error',
    code,
    file: file.file,
    line,
    column,
    message,
    fix,
  });
  const scanned = scanParameters(text);
  const found = scanned.problems.map(({ message }) => problem('sql-parameter', message, 'Mend the SQL.'));
  if (found.length > 0) return found;
  const statements = statementsOf(text).length;
  if (statements === 0) return [problem('sql-empty', 'The SQL is empty.', 'Write a statement.')];
  if (statements > 1) {
    return [
      problem(
        'sql-several',
        `The SQL has ${statements} statements; an endpoint runs one.`,
        'Keep one, or join them with WITH.',
      ),
    ];
  }
  return checkNames(
    scanned.names,
    endpoint.parameters.map(({ name }) => name),
    problem,
    file,
  );
}

function checkNames(
  used: readonly string[],
  declared: readonly string[],
  problem: (code: string, message: string, fix: string) => Finding,
  file: EndpointFile,
): readonly Finding[] {
  const undeclared = used
    .filter((name) => !declared.includes(name))
    .map((name) => {
      const nearest = nearestName(name, declared);
      const fix = nearest ? `Did you mean $${nearest}?` : `Declare \`${name}\` under \`parameters\`.`;
      return problem(
        'sql-undeclared',
        `The SQL uses $${name}, which is not declared under \`parameters\`.`,
        fix,
      );
    });
  const unused = declared.flatMap((name, index) =>
    used.includes(name)
      ? []
      : [
          {
            ...problem(
              'sql-unused',
              `The SQL does not use the parameter \`${name}\`.`,
              `Use $${name} in the SQL, or remove the parameter.`,
            ),
            ...positionAt(file.positions, ['tool', 'parameters', index]),
          },
        ],
  );
  return [...undeclared, ...unused];
}
