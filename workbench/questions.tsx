import { useState } from 'preact/hooks';
import type { CallAnswer, JsonObject } from '../cli/workbench/model.ts';
import { ArgumentFields } from './form.tsx';
import { isObject, readSchema, requiredExamples } from './schema.ts';

interface QuestionsProps {
  readonly answer: CallAnswer;
  /** Receives the answers in the protocol's form. */
  readonly onAnswer: (answers: JsonObject) => void;
}

/** The questions that a call asks a person before it runs (MCP, "Elicitation"). */
export function Questions({ answer: { questions, received }, onAnswer }: QuestionsProps) {
  const [contents, setContents] = useState<JsonObject>(
    Object.fromEntries(questions.map(({ key, schema }) => [key, requiredExamples(readSchema(schema))])),
  );
  const send = (responseOf: (key: string) => JsonObject) => {
    const result = isObject(received) && isObject(received.result) ? received.result : {};
    const { requestState } = result;
    const inputResponses = Object.fromEntries(questions.map(({ key }) => [key, responseOf(key)]));
    onAnswer({ inputResponses, ...(requestState === undefined ? {} : { requestState }) });
  };
  return (
    <>
      {questions.map(({ key, message, schema }) => {
        const content = contents[key];
        return (
          <fieldset key={key}>
            <legend>{message}</legend>
            <ArgumentFields
              schema={schema}
              value={isObject(content) ? content : {}}
              onChange={(value) => setContents({ ...contents, [key]: value })}
            />
          </fieldset>
        );
      })}
      <div class="row">
        <button
          type="button"
          onClick={() => send((key) => ({ action: 'accept', content: contents[key] ?? {} }))}
        >
          Answer
        </button>
        <button type="button" class="quiet" onClick={() => send(() => ({ action: 'decline' }))}>
          Decline
        </button>
      </div>
    </>
  );
}
