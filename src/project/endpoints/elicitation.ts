import type { Confirm, Question, QuestionRounds } from '../elicitation-model.ts';
import type { ParsedAsk, ParsedConfirm } from '../schema/elicitation.ts';

/** Converts `confirm` and `ask` of an endpoint and fills in defaults. */
export function toElicitation(parsed: {
  readonly confirm?: ParsedConfirm | null | undefined;
  readonly ask?: ParsedAsk | null | undefined;
}): { readonly confirm: Confirm | null; readonly ask: QuestionRounds } {
  const { confirm, ask } = parsed;
  return {
    confirm: confirm ? { question: confirm.question, otherwise: confirm.otherwise ?? 'deny' } : null,
    ask: (ask ?? []).map((round) => round.map(toQuestion)),
  };
}

/** The length of a model's answer if the endpoint sets none. */
const MAX_TOKENS = 1_000;

function toQuestion({ name, when, ...parsed }: ParsedAsk[number][number]): Question {
  const shared = { name, ...(when ? { when } : {}), otherwise: parsed.otherwise ?? 'deny' };
  const message = parsed.message ?? '';
  switch (parsed.kind) {
    case 'roots':
      return { kind: 'roots', ...shared };
    case 'sampling':
      return { kind: 'sampling', ...shared, message, maxTokens: parsed.max_tokens ?? MAX_TOKENS };
    default:
      return { kind: 'form', ...shared, message, fields: parsed.fields ?? [] };
  }
}
