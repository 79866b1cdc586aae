import type { CheckPolicies } from '../../policy/checks/check.ts';
import { answerParameters, answersOf, CONFIRM_KEY, type Question } from '../../project/elicitation-model.ts';
import type { Endpoint } from '../../project/model.ts';
import { checkTemplate } from '../../template/check.ts';
import type { Parameter } from '../../types/node.ts';
import type { CatalogIssue } from './check.ts';

type Path = CatalogIssue['path'];

/** Checks an endpoint's questions against its parameters and against each other. */
export function checkAsk(endpoint: Endpoint, checkPolicies: CheckPolicies): readonly CatalogIssue[] {
  const { confirm, ask, parameters } = endpoint;
  const known = [...parameters];
  const rounds = ask.flatMap((round, index) => {
    const problems = round.flatMap((question, place) =>
      checkQuestion(endpoint, question, { known: [...known], path: ['ask', index, place], checkPolicies }),
    );
    known.push(...round.flatMap(answersOf));
    return problems;
  });
  const all = [...parameters, ...answerParameters(ask)];
  const agreed = confirm === null ? [] : checkText(confirm.question, all, ['confirm']);
  return [...agreed, ...rounds, ...repeatedNames(endpoint)];
}

/** Whether a question or its condition uses a value. */
export function asksAbout({ confirm, ask }: Endpoint, name: string): boolean {
  const texts = ask
    .flat()
    .flatMap((question) => [question.when ?? '', question.kind === 'roots' ? '' : question.message]);
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, 'u');
  return [confirm?.question ?? '', ...texts].some((text) => word.test(text));
}

interface Place {
  /** The parameters that are known when the question is asked. */
  readonly known: readonly Parameter[];
  readonly path: Path;
  readonly checkPolicies: CheckPolicies;
}

function checkQuestion(
  endpoint: Endpoint,
  question: Question,
  { path, ...place }: Place,
): readonly CatalogIssue[] {
  const text =
    question.kind === 'roots' ? [] : checkText(question.message, place.known, [...path, 'message']);
  return [...text, ...checkWhen(endpoint, question, { path, ...place })];
}

function checkText(text: string, known: readonly Parameter[], path: Path): readonly CatalogIssue[] {
  const names = known.map(({ name }) => name);
  return checkTemplate(text, names).map(({ message, fix }) => ({ code: 'template', message, fix, path }));
}

/** A condition of a question follows the rules for conditions of policies. */
function checkWhen(
  { kind }: Endpoint,
  { when }: Question,
  { known, path, checkPolicies }: Place,
): readonly CatalogIssue[] {
  if (when === undefined) return [];
  const rules = { input: [{ condition: when, action: 'deny' as const }], output: [] };
  const problems = checkPolicies(rules, { kind, parameters: known, returns: null });
  return problems.map(({ message, fix }) => ({ code: 'ask', message, fix, path: [...path, 'when'] }));
}

function repeatedNames({ parameters, confirm, ask }: Endpoint): readonly CatalogIssue[] {
  const values = [...parameters, ...answerParameters(ask)].map(({ name }) => name);
  const questions = ask.flat().map(({ name }) => name);
  const repeated = [values, confirm === null ? questions : [CONFIRM_KEY, ...questions]].flatMap((names) =>
    names.filter((name, index) => names.indexOf(name) !== index),
  );
  return repeated.map((name) => ({
    code: 'ask',
    message: `${name} occurs twice among the parameters, the questions and their fields.`,
    fix: 'Rename one of them, in the SQL too.',
    path: ['ask'],
  }));
}
