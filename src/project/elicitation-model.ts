import type { Parameter } from '../types/node.ts';

/** What happens where nobody can be asked. */
export const CONFIRM_OTHERWISE = ['deny', 'allow'] as const;

/** What a person must agree to before each call. */
export interface Confirm {
  /** A template over the arguments. */
  readonly question: string;
  readonly otherwise: (typeof CONFIRM_OTHERWISE)[number];
}

/** What the question of `confirm` is called among the questions. */
export const CONFIRM_KEY = 'confirm';

export const QUESTION_KINDS = ['form', 'sampling', 'roots'] as const;
export const ASK_OTHERWISE = ['deny', 'skip'] as const;

/** A value that a person is asked for; as an enum it may show other words than its values. */
export interface Field extends Parameter {
  /** What to show for each value of the enum, in its order. */
  readonly titles?: readonly string[];
  /** The same for clients of revisions before 2025-11-25. */
  readonly enumNames?: readonly string[];
}

interface QuestionBase {
  /** By which the client gives its answer. */
  readonly name: string;
  /** CEL over the arguments and earlier answers; asked only where it holds. */
  readonly when?: string;
  /** `skip`: the answers are the defaults, or null. */
  readonly otherwise: (typeof ASK_OTHERWISE)[number];
}

/** Asks a person to fill in a form; each field is a parameter of the endpoint from then on. */
export interface FormQuestion extends QuestionBase {
  readonly kind: 'form';
  /** A template over the arguments and earlier answers. */
  readonly message: string;
  readonly fields: readonly Field[];
}

/** Asks the client's model; its text is the parameter with the question's name. */
export interface SamplingQuestion extends QuestionBase {
  readonly kind: 'sampling';
  readonly message: string;
  readonly maxTokens: number;
}

/** Asks the client for its folders; their URIs are the parameter with the question's name. */
export interface RootsQuestion extends QuestionBase {
  readonly kind: 'roots';
}

export type Question = FormQuestion | SamplingQuestion | RootsQuestion;

/** Questions one after the other; those of one round are asked together. */
export type Rounds = readonly (readonly Question[])[];

/** The parameters that the answers to a question become. */
export function answersOf(question: Question): readonly Parameter[] {
  const { kind, name } = question;
  if (kind === 'form') return question.fields;
  if (kind === 'sampling') return [{ name, type: 'string', nullable: true }];
  return [{ name, type: 'array', items: { type: 'string' }, nullable: true }];
}

/** The parameters that all answers become. */
export function answerParameters(ask: Rounds): readonly Parameter[] {
  return ask.flat().flatMap(answersOf);
}
