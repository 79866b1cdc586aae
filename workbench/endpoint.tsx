import { useEffect, useState } from 'preact/hooks';
import type {
  CallAnswer,
  EndpointCard,
  JsonObject,
  JsonValue,
  WorkbenchState,
} from '../cli/workbench/model.ts';
import { AccessCell } from './access.tsx';
import { type Actor, ActorField, toUser } from './actor.tsx';
import { Finding } from './findings.tsx';
import { ArgumentFields, JsonControl } from './form.tsx';
import { statisticsOf } from './overview.tsx';
import { Comparison, type FormCall, type NamedAnswer, Result } from './result.tsx';
import { isObject, readSchema, requiredExamples } from './schema.ts';
import { Pre } from './scroll.tsx';
import { type Live, messageOf, server } from './server.ts';
import { TestsPanel } from './tests-panel.tsx';

interface EndpointProps {
  readonly endpoint: EndpointCard;
  readonly state: WorkbenchState;
  readonly live: Live;
  /** Arguments of an earlier call. */
  readonly given: JsonObject | null;
}

/** One endpoint: its form, the answers, its statistics, its rights and its tests. */
export function EndpointView({ endpoint, state, live, given }: EndpointProps) {
  const { id, title, description, file, kind, name, source, scopes } = endpoint;
  const findings = state.findings.filter((finding) => finding.file === file);
  const row = state.matrix.find((one) => one.endpoint === id);
  return (
    <>
      <section>
        <h2>
          {title ?? name} <span class="dim">{kind}</span>
        </h2>
        <p>{description}</p>
        <p class="dim">
          <code>{name}</code> in <code>{file}</code>
          {scopes.length > 0 ? ` · scopes ${scopes.join(' ')}` : ''}
        </p>
        <Statistics live={live} endpoint={endpoint} />
      </section>
      {findings.map((finding) => (
        <Finding key={`${finding.line}:${finding.code}:${finding.message}`} finding={finding} />
      ))}
      {state.authoring && endpoint.served ? <Runner endpoint={endpoint} state={state} given={given} /> : null}
      {state.authoring ? null : (
        <p class="dim">
          This server is watched only. To call endpoints from here, open the workbench of svc dev.
        </p>
      )}
      {row === undefined ? null : (
        <section>
          <h2>Who sees what</h2>
          <table class="matrix">
            <tbody>
              {state.users.map((user) => (
                <tr key={user.name}>
                  <th scope="row">{user.name}</th>
                  <td>
                    <AccessCell access={row.access[user.name]} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {source === null ? null : (
        <details>
          <summary>Source ({source.language})</summary>
          <Pre>{source.text}</Pre>
        </details>
      )}
    </>
  );
}

function Statistics({ live, endpoint }: { readonly live: Live; readonly endpoint: EndpointCard }) {
  const found = statisticsOf(live, endpoint);
  const calls = found === undefined ? 'No calls yet' : `${found.calls} calls, ${found.errors} errors`;
  const times =
    found === undefined ? '' : ` · p50 ${found.p50_ms} ms, p95 ${found.p95_ms} ms, p99 ${found.p99_ms} ms`;
  const rows = found === undefined ? '' : ` · ${found.rows} rows, ${found.cache_hits} from the cache`;
  return (
    <p id="statistics">
      {calls}
      {times}
      {rows} · description about {endpoint.tokens.toLocaleString()} tokens
    </p>
  );
}

interface RunnerProps {
  readonly endpoint: EndpointCard;
  readonly state: WorkbenchState;
  readonly given: JsonObject | null;
}

/** The arguments that a form begins with. */
function firstArguments({ example, schema }: EndpointCard): JsonObject {
  return example ?? requiredExamples(readSchema(schema));
}

function Runner({ endpoint, state, given }: RunnerProps) {
  const [args, setArgs] = useState<JsonObject>(given ?? firstArguments(endpoint));
  const [form, setForm] = useState(0);
  const [asJson, setAsJson] = useState(false);
  const [actors, setActors] = useState<readonly [Actor, Actor | null]>([null, null]);
  const [answers, setAnswers] = useState<readonly NamedAnswer[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const fill = (next: JsonObject) => {
    setArgs(next);
    setForm((count) => count + 1);
  };
  useEffect(() => {
    if (given !== null) fill(given);
  }, [given]);
  const [first, second] = actors;
  const work = async (send: () => Promise<void>) => {
    setBusy(true);
    try {
      await send();
      setProblem(null);
    } catch (thrown) {
      setProblem(messageOf(thrown));
    }
    setBusy(false);
  };
  const run = () =>
    work(async () => {
      const chosen = second === null ? [first] : [first, second];
      setAnswers(await Promise.all(chosen.map((actor) => callAs({ endpoint, args, actor }))));
    });
  // A question belongs to its own call, so the form and the other answer have no part in this.
  const reply = (asked: NamedAnswer, replies: JsonObject) =>
    work(async () => {
      const { args, actor } = asked;
      const next = await callAs({ endpoint, args, actor, replies });
      setAnswers((before) => before.map((one) => (one === asked ? next : one)));
    });
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit(event);
  };
  const [left, right] = answers;
  return (
    <>
      <form onSubmit={onSubmit} onKeyDown={onKeyDown}>
        <section>
          <h2>Call</h2>
          <div class="row">
            <button type="button" class="quiet" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
              As JSON
            </button>
            <button type="button" class="quiet" onClick={() => fill(firstArguments(endpoint))}>
              Example
            </button>
            <button type="button" class="quiet" onClick={() => fill({})}>
              Clear
            </button>
          </div>
          <Arguments key={form} asJson={asJson} endpoint={endpoint} value={args} onChange={setArgs} />
          <div class="row">
            <ActorField
              label="Run as"
              users={state.users}
              value={first}
              onChange={(actor) => setActors([actor, second])}
            />
            <ActorField
              label="Compare with"
              optional
              users={state.users}
              value={second}
              onChange={(actor) => setActors([first, actor])}
            />
          </div>
          {state.signIn ? (
            <p class="dim">Sign-in is on: real anonymous callers are answered with 401 before any call.</p>
          ) : null}
          <button type="submit" disabled={busy}>
            {busy ? 'Running ...' : 'Run'}
          </button>{' '}
          <span class="dim">Ctrl+Enter</span>
          {problem === null ? null : (
            <p role="alert" class="error">
              {problem}
            </p>
          )}
        </section>
      </form>
      <div aria-live="polite" id="answers">
        {left !== undefined && right !== undefined ? <Comparison answers={[left, right]} /> : null}
        {answers.map((one, index) => (
          <Result key={index} {...one} endpoint={endpoint} onAnswer={(replies) => void reply(one, replies)} />
        ))}
      </div>
      <TestsPanel endpoint={endpoint} users={state.users} answered={left ?? null} />
    </>
  );
}

interface ArgumentsProps {
  readonly endpoint: EndpointCard;
  readonly asJson: boolean;
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
}

function Arguments({ endpoint, asJson, value, onChange }: ArgumentsProps) {
  if (!asJson) return <ArgumentFields schema={endpoint.schema} value={value} onChange={onChange} />;
  const change = (next: JsonValue | undefined) => onChange(isObject(next) ? next : {});
  return (
    <div class="field">
      <label for="arguments">Arguments as JSON</label>
      <JsonControl id="arguments" value={value} onChange={change} />
    </div>
  );
}

interface Calling extends FormCall {
  readonly endpoint: EndpointCard;
  /** Answers to the questions of the call before. */
  readonly replies?: JsonObject;
}

async function callAs({ endpoint, args, actor, replies }: Calling): Promise<NamedAnswer> {
  const { kind } = endpoint;
  const name = kind === 'resource' ? expand(endpoint.name, args) : endpoint.name;
  const { label, user } = toUser(actor);
  const call = { kind, name, arguments: args, user, ...(replies === undefined ? {} : { answers: replies }) };
  const answer: CallAnswer = await server.call(call);
  return { args, actor, user: label, answer };
}

/** The URI of a resource: its template with the values of its placeholders (RFC 6570, level 1). */
function expand(template: string, args: JsonObject): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = args[name];
    return encodeURIComponent(
      value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value),
    );
  });
}
