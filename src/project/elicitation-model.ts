import type { Parameter } from '../types/node.ts';

/** The outcome if the client cannot ask a person. */
export const CONFIRM_OTHERWISE = ['deny', 'allow'] as const;

/** A question that a person must accept before each call. */
export interface Confirm {
  /** A template over the arguments. */
  readonly question: string;
  readonly otherwise: (typeof CONFIRM_OTHERWISE)[number];
}

/** The name of the `confirm` question among all questions. */
export const CONFIRM_KEY = 'confirm';

export const QUESTION_KINDS = ['form', 'sampling', 'roots'] as const;
export const ASK_OTHERWISE = ['deny', 'skip'] as const;

/** A value in a form. An enum may show other words than its values. */
export interface Field extends Parameter {
  /** The text shown for each value of the enum, in the same order. */
  readonly titles?: readonly string[];
  /** Like `titles`, for clients of revisions before 2025-11-25. */
  readonly enumNames?: readonly string[];
}

interface QuestionBase {
  /** Identifies the answer of the client. */
  readonly name: string;
  /** A CEL condition over the arguments and earlier answers. The question is skipped if the condition is false. */
  readonly when?: string;
  /** With `skip`, the answers are the defaults, or null. */
  readonly otherwise: (typeof ASK_OTHERWISE)[number];
}

/** Asks a person to fill in a form. Each field becomes a parameter of the endpoint. */
interface FormQuestion extends QuestionBase {
  readonly kind: 'form';
  /** A template over the arguments and earlier answers. */
  readonly message: string;
  readonly fields: readonly Field[];
}

/** Asks the client's model. Its text becomes the parameter with the question's name. */
interface SamplingQuestion extends QuestionBase {
  readonly kind: 'sampling';
  readonly message: string;
  readonly maxTokens: number;
}

/** Asks the client for its folders. Their URIs become the parameter with the question's name. */
interface RootsQuestion extends QuestionBase {
  readonly kind: 'roots';
}

export type Question = FormQuestion | SamplingQuestion | RootsQuestion;

/** QuestionRounds of questions, one after the other. The questions of one round are asked together. */
export type QuestionRounds = readonly (readonly Question[])[];

/** The parameters that a question adds. */
export function answersOf(question: Question): readonly Parameter[] {
  const { kind, name } = question;
  if (kind === 'form') return question.fields;
  if (kind === 'sampling') return [{ name, type: 'string', nullable: true }];
  return [{ name, type: 'array', items: { type: 'string' }, nullable: true }];
}

/** The parameters that all questions add. */
export function answerParameters(ask: QuestionRounds): readonly Parameter[] {
  return ask.flat().flatMap(answersOf);
}
