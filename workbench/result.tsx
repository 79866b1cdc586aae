import type { CallAnswer, JsonObject } from '../cli/workbench/model.ts';
import type { Actor } from './actor.tsx';
import { CallDetail } from './call-detail.tsx';
import { isDrawable, type ResultCard, ResultChart } from './drawing.tsx';
import { Questions } from './questions.tsx';
import { Pre, Scroll } from './scroll.tsx';
import { type Tab, Tabs } from './tabs.tsx';
import { flatten, Json, toText, ValueTable } from './value.tsx';

/** A call of the form: its arguments and its user. */
export interface FormCall {
  readonly args: JsonObject;
  readonly actor: Actor;
}

/** An answer with its call and the name of the user who got it. */
export interface NamedAnswer extends FormCall {
  readonly user: string;
  readonly answer: CallAnswer;
}

interface ResultProps extends Pick<NamedAnswer, 'user' | 'answer'> {
  readonly endpoint: ResultCard;
  /** Calls again with answers to the questions of a call. */
  readonly onAnswer: (answers: JsonObject) => void;
}

/** One answer in each of its forms. */
export function Result({ user, answer, endpoint, onAnswer }: ResultProps) {
  const { value, failed, live } = answer;
  const tabs: Tab[] = [
    ...(value === undefined
      ? []
      : [{ name: 'Table', view: () => <ValueTable value={value} label={`Result for ${user}`} /> }]),
    ...(value === undefined || !isDrawable(value, endpoint)
      ? []
      : [
          {
            name: 'Chart',
            view: () => <ResultChart value={value} label={`Result for ${user}`} endpoint={endpoint} />,
          },
        ]),
    ...(value === undefined ? [] : [{ name: 'JSON', view: () => <Json value={value} /> }]),
    { name: 'Model', view: () => <ModelText answer={answer} /> },
    { name: 'Client', view: () => <Messages answer={answer} /> },
    ...(live === null ? [] : [{ name: 'Steps', view: () => <CallDetail call={live} /> }]),
  ];
  return (
    <section class="result">
      <h3>
        {user}{' '}
        <span class={failed ? 'bad' : 'good'}>
          {answer.questions.length > 0 ? 'asks' : failed ? 'failed' : 'ok'}
        </span>{' '}
        <span class="dim">
          {answer.ms} ms · about {answer.tokens.toLocaleString()} tokens
        </span>
      </h3>
      {failed ? <Failure answer={answer} /> : null}
      {answer.questions.length > 0 ? (
        <Questions key={JSON.stringify(answer.questions)} answer={answer} onAnswer={onAnswer} />
      ) : null}
      <Tabs label={`Answer to ${user}`} tabs={tabs} />
    </section>
  );
}

function ModelText({ answer: { text, tokens } }: { readonly answer: CallAnswer }) {
  return (
    <>
      <p class="dim">A model reads this text, about {tokens.toLocaleString()} tokens.</p>
      <Pre>{text}</Pre>
    </>
  );
}

function Messages({ answer: { sent, received, status } }: { readonly answer: CallAnswer }) {
  return (
    <>
      <h4>Sent</h4>
      <Json value={sent} />
      <h4>Received, HTTP {status}</h4>
      <Json value={received} />
    </>
  );
}

/** The same call as two users, field by field. */
export function Comparison({ answers }: { readonly answers: readonly [NamedAnswer, NamedAnswer] }) {
  const [left, right] = answers.map(fieldsOf) as [Fields, Fields];
  const paths = [...new Set([...left.keys(), ...right.keys()])];
  const differing = paths.filter((path) => left.get(path) !== right.get(path)).length;
  return (
    <section class="comparison">
      <h3>
        Side by side <span class="dim">{differing === 1 ? '1 difference' : `${differing} differences`}</span>
      </h3>
      <Scroll label="Side by side">
        <table>
          <thead>
            <tr>
              <th>Field</th>
              {answers.map(({ user }) => (
                <th key={user}>{user}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {paths.map((path) => (
              <tr key={path} class={left.get(path) === right.get(path) ? '' : 'differs'}>
                <th scope="row">
                  {path === '' ? 'result' : path}
                  {left.get(path) === right.get(path) ? null : <span class="mark"> differs</span>}
                </th>
                {[left, right].map((fields, index) => (
                  <td key={index}>{fields.get(path) ?? <span class="dim">absent</span>}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

type Fields = ReadonlyMap<string, string>;

function fieldsOf({ answer: { value, text } }: NamedAnswer): Fields {
  if (value === undefined) return new Map([['error', text]]);
  return new Map(flatten(value).map(([path, one]) => [path, toText(one)]));
}

/** A failed call as its client meets it, and the reason that only the author sees. */
function Failure({ answer: { text, code, cause } }: { readonly answer: CallAnswer }) {
  return (
    <div class="failure" role="alert">
      <p class="error">{text}</p>
      <p class="dim">
        This is all that a client and its model learn.
        {code === null ? null : (
          <>
            {' '}
            The code in records is <code>{code}</code>.
          </>
        )}
      </p>
      {cause === null ? null : (
        <>
          <p>
            <strong>The reason, from the log.</strong> <span class="dim">Clients do not get it.</span>
          </p>
          <pre>{cause}</pre>
        </>
      )}
    </div>
  );
}
