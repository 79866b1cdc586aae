import type { JsonObject, JsonValue } from '../../json.ts';
import { isSame } from '../../types/canonical.ts';
import type { MadeCall } from './call.ts';
import type { Conversation } from './converse.ts';
import { refersTo } from './offer.ts';
import type { EvalAssertions, ExpectedCall } from './suite.ts';

/** The form of calls and values in failures: one line each, without sensitive parts. */
export interface ShownParts {
  readonly call: (call: MadeCall) => string;
  readonly value: (value: JsonValue) => string;
}

/** Returns every assertion that a conversation violates. */
export function checkConversation(
  { mustCall, mustNotCall, mustCallInOrder, maxCalls, ...answer }: EvalAssertions,
  conversation: Conversation,
  shown: ShownParts,
): readonly string[] {
  const { calls, answer: text } = conversation;
  return [
    ...endFailures(conversation),
    ...mustCall.flatMap((wanted) => callFailures(wanted, calls, shown)),
    ...mustNotCall.flatMap((name) =>
      calls.some((call) => isCalled(call, name)) ? [`must_not_call: ${name} was called`] : [],
    ),
    ...orderFailures(mustCallInOrder, calls, shown),
    ...(maxCalls !== null && calls.length > maxCalls
      ? [
          `max_calls: ${calls.length} calls were made, at most ${maxCalls} were allowed\n${toCallLines(calls, shown)}`,
        ]
      : []),
    ...answerFailures(answer, text, shown),
  ];
}

/** Without a final answer, assertions about the answer are meaningless. */
function endFailures({ ended, turns, said, calls }: Conversation): readonly string[] {
  if (ended === 'turns') return [`no answer: the model still called after ${turns} turns; see limits.turns`];
  if (ended === 'length') return ['no answer: it was cut at limits.tokens'];
  if (ended === 'refusal') return ['no answer: the model refused'];
  const isSilent = calls.length === 0 && said.every((text) => text.trim() === '');
  return isSilent ? ['no answer: the model sent no text and made no call'] : [];
}

/** A call of an unknown tool matches by the name that the model sent. */
function isCalled({ endpoint, offer }: MadeCall, name: string): boolean {
  return offer === null ? endpoint === name : refersTo(offer, name);
}

function callFailures(
  { tool, args }: ExpectedCall,
  calls: readonly MadeCall[],
  shown: ShownParts,
): readonly string[] {
  const own = calls.filter((call) => isCalled(call, tool));
  if (own.some((call) => hasArguments(call, args))) return [];
  const wanted = Object.keys(args).length === 0 ? tool : `${tool} ${shown.value(args)}`;
  const found = own.length > 0 ? own : calls;
  return [`must_call: ${wanted} was not called\n${toCallLines(found, shown)}`];
}

/** Matches the arguments as sent or as converted: `"3"` equals an integer 3. */
function hasArguments({ args, checked }: MadeCall, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([key, value]) =>
    [args, checked].some((given) => {
      const found = given !== null && Object.hasOwn(given, key) ? given[key] : undefined;
      return found !== undefined && isSame(found, value);
    }),
  );
}

/** Other calls may come in between. */
function orderFailures(
  names: readonly string[],
  calls: readonly MadeCall[],
  shown: ShownParts,
): readonly string[] {
  let from = 0;
  for (const name of names) {
    const at = calls.findIndex((call, index) => index >= from && isCalled(call, name));
    if (at === -1) {
      return [`must_call_in_order: ${name} is missing in ${names.join(', ')}\n${toCallLines(calls, shown)}`];
    }
    from = at + 1;
  }
  return [];
}

const SHOWN = 12;

function toCallLines(calls: readonly MadeCall[], shown: ShownParts): string {
  if (calls.length === 0) return '  no calls were made';
  const lines = calls.slice(0, SHOWN).map((call) => `+ ${shown.call(call)}`);
  return [...lines, ...(calls.length > SHOWN ? [`  and ${calls.length - SHOWN} more`] : [])].join('\n');
}

type AboutAnswer = Pick<EvalAssertions, 'answerContains' | 'answerNotContains' | 'answerMatches'>;

/** Only patterns are case-sensitive. */
function answerFailures(
  { answerContains, answerNotContains, answerMatches }: AboutAnswer,
  answer: string,
  shown: ShownParts,
): readonly string[] {
  const has = (text: string) => answer.toLowerCase().includes(text.toLowerCase());
  const failures = [
    ...answerContains
      .filter((text) => !has(text))
      .map((text) => `answer_contains: ${shown.value(text)} is missing`),
    ...answerNotContains.filter(has).map((text) => `answer_not_contains: ${shown.value(text)} occurs`),
    ...answerMatches
      .filter((pattern) => !new RegExp(pattern, 'u').test(answer))
      .map((pattern) => `answer_matches: ${pattern} does not match`),
  ];
  return failures.map((failure) => `${failure}\n+ ${shown.value(answer)}`);
}
