import { answerParameters } from '../../project/elicitation-model.ts';
import type { Endpoint, EndpointTest } from '../../project/model.ts';
import { suggestName } from '../../types/nearest.ts';
import { hasDefault, type Parameter } from '../../types/node.ts';
import { checkWritten } from '../../types/validate.ts';
import type { CatalogIssue } from './check.ts';

/** Checks whether the tests call the endpoint with its declared arguments. */
export function checkTests({ tests, parameters, ask }: Endpoint): readonly CatalogIssue[] {
  const values = [...parameters, ...answerParameters(ask)];
  return tests.flatMap((test, index) => {
    const path = ['tests', index];
    const called = expectsRefusal(test)
      ? []
      : [...checkRequired(test, parameters, path), ...checkValues(test, values, path)];
    return [...checkKeys(test, values, path), ...called];
  });
}

/** Whether a test expects an error. Such a test may omit an argument or pass a wrong one. */
function expectsRefusal({ denied, error_contains }: EndpointTest): boolean {
  return denied === true || error_contains !== undefined;
}

type Path = readonly (string | number)[];

function checkKeys(
  { arguments: given }: EndpointTest,
  parameters: readonly Parameter[],
  path: Path,
): readonly CatalogIssue[] {
  const names = parameters.map(({ name }) => name);
  return given.flatMap(({ key }, index) => {
    const at = { code: 'test-argument', path: [...path, 'arguments', index, 'key'] };
    if (!names.includes(key)) {
      const fix = suggestName(key, names, 'Name a declared parameter, or remove it.');
      return [{ ...at, message: `There is no parameter ${JSON.stringify(key)}.`, fix }];
    }
    const again = given.findIndex((other) => other.key === key) < index;
    return again ? [{ ...at, message: `The argument ${key} is given twice.`, fix: 'Keep one of them.' }] : [];
  });
}

function checkRequired(
  { arguments: given }: EndpointTest,
  parameters: readonly Parameter[],
  path: Path,
): readonly CatalogIssue[] {
  return parameters
    .filter((parameter) => !hasDefault(parameter) && !given.some(({ key }) => key === parameter.name))
    .map(({ name }) => ({
      code: 'test-argument',
      message: `The test has no argument ${name}, which is required.`,
      fix: `Add { key: ${name}, value: ... } to its \`arguments\`, or \`error_contains\` if the error is intended.`,
      path,
    }));
}

function checkValues(
  { arguments: given }: EndpointTest,
  parameters: readonly Parameter[],
  path: Path,
): readonly CatalogIssue[] {
  return given.flatMap((argument, index) =>
    checkValue(argument, parameters, [...path, 'arguments', index, 'value']),
  );
}

function checkValue(
  { key, value }: EndpointTest['arguments'][number],
  parameters: readonly Parameter[],
  path: Path,
): readonly CatalogIssue[] {
  const parameter = parameters.find(({ name }) => name === key);
  const issues = parameter ? checkWritten(parameter, value) : [];
  if (issues.length === 0) return [];
  const reasons = issues.map((issue) => (issue.path ? `${issue.path} ${issue.message}` : issue.message));
  return [
    {
      code: 'test-argument',
      message: `This value for ${key} is invalid: it ${reasons.join('; ')}.`,
      fix: 'Change it, or name the expected error under `error_contains`.',
      path,
    },
  ];
}
