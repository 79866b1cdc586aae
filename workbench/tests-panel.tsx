import { useState } from 'preact/hooks';
import type {
  EndpointCard,
  EndpointReport,
  TestDiff,
  TestDraft,
  WorkbenchUser,
} from '../cli/workbench/model.ts';
import { contextOf } from './actor.tsx';
import type { NamedAnswer } from './result.tsx';
import { Pre } from './scroll.tsx';
import { messageOf, server } from './server.ts';

interface TestsProps {
  readonly endpoint: EndpointCard;
  readonly users: readonly WorkbenchUser[];
  /** The latest call with its answer; null before one. */
  readonly answered: NamedAnswer | null;
}

/** Runs an endpoint's tests, and saves the latest call as one. */
export function TestsPanel({ endpoint, users, answered }: TestsProps) {
  const [report, setReport] = useState<EndpointReport | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = async () => {
    setBusy(true);
    try {
      setReport(await server.tests(endpoint.id));
      setProblem(null);
    } catch (thrown) {
      setProblem(messageOf(thrown));
    }
    setBusy(false);
  };
  const draft = answered === null ? null : toDraft(answered, endpoint, users);
  return (
    <section id="tests">
      <h2>
        Tests <span class="dim">{endpoint.tests.length}</span>
      </h2>
      <button type="button" disabled={busy || endpoint.tests.length === 0} onClick={() => void run()}>
        {busy ? 'Running tests ...' : 'Run tests'}
      </button>
      <div aria-live="polite">
        {problem === null ? null : <p class="error">{problem}</p>}
        {report === null ? null : <Report report={report} />}
      </div>
      {draft === null ? (
        <p class="dim">After a call, its answer can be saved as a test.</p>
      ) : (
        <SaveTest draft={draft} />
      )}
    </section>
  );
}

/** The answered call as a test without a name; null if its answer is neither a result nor a denial. */
function toDraft(
  { args, actor, answer }: NamedAnswer,
  endpoint: EndpointCard,
  users: readonly WorkbenchUser[],
): Omit<TestDraft, 'name'> | null {
  const { result, live } = answer;
  const call = { endpoint: endpoint.id, arguments: args, user_context: contextOf(actor, users) };
  if (live?.record.policy_decision === 'deny') return { ...call, expect: { denied: true } };
  return result === undefined ? null : { ...call, expect: { result } };
}

function Report({ report }: { readonly report: EndpointReport }) {
  return (
    <ul class="report">
      {report.tests.map(({ name, status, error, time_ms }) => (
        <li key={name}>
          <span class={status === 'passed' ? 'good' : 'bad'}>{status}</span> {name}{' '}
          <span class="dim">{time_ms} ms</span>
          {error === undefined ? null : <Pre>{error}</Pre>}
        </li>
      ))}
    </ul>
  );
}

function SaveTest({ draft }: { readonly draft: Omit<TestDraft, 'name'> }) {
  const [name, setName] = useState('');
  const [shown, setShown] = useState<{ readonly draft: TestDraft; readonly diff: TestDiff } | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const show = async () => {
    const named = { ...draft, name };
    setShown({ draft: named, diff: await server.draftTest(named) });
    setSaid(null);
  };
  const save = async () => {
    if (shown === null) return;
    await server.saveTest(shown.draft, shown.diff.hash);
    setSaid(`Saved in ${shown.diff.file}.`);
    setShown(null);
  };
  const tell = (thrown: unknown) => setSaid(messageOf(thrown));
  return (
    <>
      <h3>Save the call as a test</h3>
      <div class="row">
        <div class="field">
          <label for="test-name">Name of the test</label>
          <input
            id="test-name"
            autocomplete="off"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </div>
        <button type="button" disabled={name.trim() === ''} onClick={() => void show().catch(tell)}>
          Show the change
        </button>
      </div>
      {shown === null ? null : (
        <>
          <p>
            The change of <code>{shown.diff.file}</code>:
          </p>
          <Pre kind="diff">
            {shown.diff.diff.map((line, index) => (
              <span key={index} class={line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'dim'}>
                {`${line}\n`}
              </span>
            ))}
          </Pre>
          <button type="button" onClick={() => void save().catch(tell)}>
            Save
          </button>{' '}
          <button type="button" class="quiet" onClick={() => setShown(null)}>
            Cancel
          </button>
        </>
      )}
      <p aria-live="polite" id="saved">
        {said}
      </p>
    </>
  );
}
