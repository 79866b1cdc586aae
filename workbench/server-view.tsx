import { useEffect, useState } from 'preact/hooks';
import type { DriftState, ServerState } from '../cli/workbench/model.ts';
import { messageOf, server } from './server.ts';

const EVERY_MS = 3_000;

/** The state of the server, its databases, a reload, and drift. */
export function ServerView({ authoring }: { readonly authoring: boolean }) {
  const [state, setState] = useState<ServerState | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const fail = (thrown: unknown) => setProblem(messageOf(thrown));
  const read = () => server.server().then(setState, fail);
  useEffect(() => {
    void read();
    const timer = setInterval(() => document.hidden || read(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const reload = () => server.reload().then(read, fail);
  return (
    <>
      {problem === null ? null : (
        <p role="alert" class="error">
          {problem}
        </p>
      )}
      {state === null ? <p>Loading ...</p> : <Facts state={state} onReload={reload} />}
      {authoring ? (
        <Drift />
      ) : (
        <p>
          <a href="docs">Admin API</a>
        </p>
      )}
    </>
  );
}

function Facts({ state, onReload }: { readonly state: ServerState; readonly onReload: () => void }) {
  const { status, config, memory_bytes, databases } = state;
  const { reload } = status;
  const facts: readonly (readonly [string, string])[] = [
    ['Version', status.version],
    ['Up', status.uptime],
    ['Profile', status.profile],
    ['Transport', config.transport],
    ['Database', `${config.database_path} (${status.mode})`],
    ['Running calls', String(reload.active_requests)],
    ['Memory', `${Math.round(memory_bytes / 1_048_576)} MB`],
    ['Audit', config.features.audit_logging ? 'recorded' : 'not recorded: audit.enabled is false'],
    ['Telemetry', config.features.telemetry ? 'on' : 'off'],
  ];
  return (
    <>
      <section>
        <h2>Server</h2>
        <dl class="facts">
          {facts.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <p>
          <button type="button" id="reload" disabled={reload.in_progress} onClick={onReload}>
            Reload
          </button>{' '}
          <span id="reloaded" class={reload.last_reload_status === 'error' ? 'bad' : 'dim'}>
            {toReloadText(reload)}
          </span>
        </p>
      </section>
      <section>
        <h2>Databases</h2>
        <table id="databases">
          <tbody>
            {databases.map(({ name, ok, ms, message }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class={ok ? 'good' : 'bad'}>{ok ? 'answers' : 'does not answer'}</td>
                <td class="number">{ms} ms</td>
                <td>{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function toReloadText(reload: ServerState['status']['reload']): string {
  if (reload.in_progress) return 'reloading ...';
  if (reload.last_reload === null) return 'not reloaded yet';
  const time = new Date(reload.last_reload).toLocaleTimeString();
  return reload.last_reload_status === 'success'
    ? `reloaded ${time}`
    : `reload failed: ${reload.last_reload_error}`;
}

function Drift() {
  const [drift, setDrift] = useState<DriftState | null>(null);
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    const found = await server.drift().catch((thrown) => ({ message: messageOf(thrown), changes: [] }));
    setDrift(found);
    setBusy(false);
  };
  return (
    <section>
      <h2>Drift</h2>
      <p class="dim">
        Compares the project and its database with the baseline, and runs the tests that only read.
      </p>
      <button type="button" disabled={busy} onClick={() => void check()}>
        {busy ? 'Checking ...' : 'Check drift'}
      </button>
      <div aria-live="polite">
        {drift?.message ? <p>{drift.message}</p> : null}
        <ul>
          {drift?.changes.map(({ title, severity }) => (
            <li key={title}>
              <span class={severity === 'breaking' ? 'bad' : 'warn'}>{severity}</span> {title}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
