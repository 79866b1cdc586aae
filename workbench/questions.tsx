import { useState } from 'preact/hooks';
import type { AskedQuestion, CallAnswer, JsonObject } from '../cli/workbench/model.ts';
import { ArgumentFields } from './form.tsx';
import { isObject, readSchema, requiredExamples } from './schema.ts';

interface QuestionsProps {
  readonly answer: CallAnswer;
  /** Receives the answers in the protocol's form. */
  readonly onAnswer: (answers: JsonObject) => void;
}

/** The questions of a call before it runs. The person answers for the client's model and its folders, too. */
export function Questions({ answer: { questions, received }, onAnswer }: QuestionsProps) {
  const [contents, setContents] = useState<JsonObject>(
    Object.fromEntries(questions.map(({ key, schema }) => [key, requiredExamples(readSchema(schema))])),
  );
  const send = (responseOf: (question: AskedQuestion) => JsonObject) => {
    const result = isObject(received) && isObject(received.result) ? received.result : {};
    const { requestState } = result;
    const inputResponses = Object.fromEntries(questions.map((one) => [one.key, responseOf(one)]));
    onAnswer({ inputResponses, ...(requestState === undefined ? {} : { requestState }) });
  };
  return (
    <>
      {questions.map(({ key, method, message, schema }) => {
        const content = contents[key];
        return (
          <fieldset key={key}>
            <legend>{message}</legend>
            {ASKED[method] === null ? null : <p class="dim">{ASKED[method]}</p>}
            <ArgumentFields
              schema={schema}
              value={isObject(content) ? content : {}}
              onChange={(value) => setContents({ ...contents, [key]: value })}
            />
          </fieldset>
        );
      })}
      <div class="row">
        <button type="button" onClick={() => send((one) => toResponse(one, contents[one.key]))}>
          Answer
        </button>
        {questions.every(isForPerson) ? (
          <button type="button" class="quiet" onClick={() => send(() => ({ action: 'decline' }))}>
            Decline
          </button>
        ) : null}
      </div>
    </>
  );
}

/** The side that answers in a real client; null for a person. */
const ASKED: { readonly [method in AskedQuestion['method']]: string | null } = {
  'elicitation/create': null,
  'sampling/createMessage': "The client's model answers this. Here you write its text.",
  'roots/list': 'The client answers this with its folders, such as file:///home/ada/project.',
};

/** A model and a list of folders cannot decline. */
function isForPerson({ method }: AskedQuestion): boolean {
  return method === 'elicitation/create';
}

/** The answer in the protocol's form. */
function toResponse({ method }: AskedQuestion, given: JsonObject[string] | undefined): JsonObject {
  const content = isObject(given) ? given : {};
  if (method === 'elicitation/create') return { action: 'accept', content };
  if (method === 'roots/list') {
    const roots = Array.isArray(content.roots) ? content.roots : [];
    return { roots: roots.map((uri) => ({ uri })) };
  }
  const text = typeof content.text === 'string' ? content.text : '';
  return { role: 'assistant', model: 'workbench', stopReason: 'endTurn', content: { type: 'text', text } };
}
