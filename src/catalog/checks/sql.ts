import { answerParameters } from '../../project/elicitation-model.ts';
import type { ResourceEndpoint, ToolEndpoint } from '../../project/model.ts';
import { positionInText, toPosition } from '../../project/yaml/position.ts';
import { type ParameterScan, scanParameters } from '../../sql/parameters.ts';
import { classify, misspeltVerb, statementsOf } from '../../sql/statement.ts';
import { nearestName } from '../../types/nearest.ts';
import type { TypeNode } from '../../types/node.ts';
import type { CatalogIssue } from './check.ts';
import { asksAbout } from './elicitation.ts';

type Sourced = ToolEndpoint | ResourceEndpoint;

const MOST = 10;

/** Checks an endpoint's SQL against its declarations. Ignores other languages. */
export function checkSql(endpoint: Sourced): readonly CatalogIssue[] {
  const { language, text } = endpoint.source;
  if (language !== 'sql') return [];
  const scan = scanParameters(text);
  if (scan.problems.length > 0) {
    return scan.problems.slice(0, MOST).map(({ message, offset }) => ({
      ...problem(endpoint, 'sql-syntax', `${message}.`, offset),
      fix: 'Correct the SQL.',
    }));
  }
  const [first, second] = statementsOf(text);
  if (first === undefined) {
    return [{ ...problem(endpoint, 'sql-empty', 'There is no SQL here.', 0), fix: 'Write a statement.' }];
  }
  const several = second ? [tooMany(endpoint, second.offset)] : [];
  return [
    ...several,
    ...checkVerb(endpoint),
    ...checkNames(endpoint, scan),
    ...endpoint.parameters.flatMap((parameter, index) => checkFields(parameter, ['parameters', index])),
    ...checkHint(endpoint),
  ];
}

/** SQL in a file of its own has positions there. */
function problem(
  { source, file }: Sourced,
  code: string,
  message: string,
  offset: number,
): Omit<CatalogIssue, 'fix'> {
  const place =
    source.file === null
      ? { file, ...positionInText(startOf(source), source.text, offset) }
      : { file: source.file, ...toPosition(source.text, offset) };
  return { code, message, path: ['source'], place };
}

function startOf({ line, column, verbatim }: Sourced['source']) {
  return verbatim ? { line, column, verbatim } : { line, column };
}

function tooMany(endpoint: Sourced, offset: number): CatalogIssue {
  return {
    ...problem(
      endpoint,
      'sql-statements',
      'A second statement begins here, but an endpoint runs one only.',
      offset,
    ),
    fix: 'Combine them with WITH, or make an endpoint of each.',
  };
}

/** Reports a misspelt verb. An unknown verb counts as a write, which would hide the mistake behind advice about writes. */
function checkVerb(endpoint: Sourced): readonly CatalogIssue[] {
  const verb = misspeltVerb(endpoint.source.text);
  if (verb === null) return [];
  const message = `No statement begins with ${verb.word}.`;
  return [{ ...problem(endpoint, 'sql-syntax', message, verb.offset), fix: `Did you mean ${verb.meant}?` }];
}

function checkNames(endpoint: Sourced, { names, uses }: ParameterScan): readonly CatalogIssue[] {
  const parameters = endpoint.parameters.map(({ name }) => name);
  const answers = answerParameters(endpoint.ask).map(({ name }) => name);
  const declared = [...parameters, ...answers];
  const undeclared = names
    .filter((name) => !declared.includes(name))
    .map((name) => {
      const near = nearestName(
        name,
        declared.filter((other) => !names.includes(other)),
      );
      const offset = uses.find((use) => use.name === name)?.offset ?? 0;
      return {
        ...problem(
          endpoint,
          'sql-undeclared',
          `The SQL uses $${name}, which is not declared under \`parameters\`.`,
          offset,
        ),
        fix: near === null ? `Declare ${name} under \`parameters\`.` : `Did you mean $${near}?`,
      };
    });
  const unused = declared.flatMap((name, index) =>
    names.includes(name) || asksAbout(endpoint, name)
      ? []
      : [
          {
            code: 'sql-unused',
            message: `The SQL does not use the ${index < parameters.length ? 'parameter' : 'answer'} ${name}.`,
            fix: `Write $${name} into the SQL, or remove the ${index < parameters.length ? 'parameter' : 'answer'}.`,
            path: index < parameters.length ? ['parameters', index, 'name'] : ['ask'],
          },
        ],
  );
  return [...undeclared, ...unused];
}

/** Checks the names of properties, which are fields of a STRUCT. SQL ignores their case. */
function checkFields(
  { items, properties = {} }: TypeNode,
  path: CatalogIssue['path'],
): readonly CatalogIssue[] {
  if (items !== undefined) return checkFields(items, [...path, 'items']);
  const names = Object.keys(properties);
  return Object.entries(properties).flatMap(([name, property], index) => {
    const at = [...path, 'properties', name];
    const same = names.slice(0, index).find((other) => other.toLowerCase() === name.toLowerCase());
    const message =
      same === undefined
        ? 'A property without a name has no place in SQL.'
        : `The properties ${same} and ${name} differ in upper and lower case only, and SQL takes them for one.`;
    const found = { code: 'sql-property', message, fix: 'Rename it.', path: at };
    return same === undefined && name !== '' ? checkFields(property, at) : [found];
  });
}

/** Checks `readOnlyHint`, because clients run read-only tools without asking a person. */
function checkHint(endpoint: Sourced): readonly CatalogIssue[] {
  if (endpoint.kind !== 'tool' || endpoint.annotations.readOnlyHint !== true) return [];
  const { class: kind, operation } = classify(endpoint.source.text);
  if (kind !== 'write' && kind !== 'ddl') return [];
  return [
    {
      code: 'annotation',
      message: `\`readOnlyHint\` is true, but the SQL writes: ${operation}.`,
      fix: 'Remove `readOnlyHint`: it follows from the SQL.',
      path: ['annotations', 'readOnlyHint'],
    },
  ];
}
