import { useEffect, useState } from 'preact/hooks';
import type {
  Activity,
  CallAnswer,
  CallRequest,
  DriftState,
  EndpointReport,
  LiveCall,
  ServerState,
  TestDiff,
  TestDraft,
  WorkbenchEvent,
  WorkbenchState,
} from '../cli/workbench/model.ts';

/** Asks the server of this page. Throws an error with the server's own text. */
async function ask<Answer>(path: string, body?: unknown): Promise<Answer> {
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`api/${path}`, posted);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message ?? `The server answered ${response.status}.`);
  return answer;
}

/** The requests of the page, by name. */
export const server = {
  state: () => ask<WorkbenchState>('state'),
  activity: () => ask<Activity>('activity'),
  calls: () => ask<readonly LiveCall[]>('calls'),
  server: () => ask<ServerState>('server'),
  reload: () => ask<{ readonly id: string }>('reload', {}),
  drift: () => ask<DriftState>('drift', {}),
  call: (request: CallRequest) => ask<CallAnswer>('call', request),
  tests: (endpoint: string) => ask<EndpointReport>('tests', { endpoint }),
  draftTest: (draft: TestDraft) => ask<TestDiff>('tests/draft', draft),
  saveTest: (draft: TestDraft, hash: string) => ask<object>('tests/save', { ...draft, hash }),
};

const MOST_CALLS = 200;

/** The project and its latest calls, kept up to date by the server's events. */
export interface Live {
  readonly state: WorkbenchState | null;
  readonly calls: readonly LiveCall[];
  readonly activity: Activity | null;
  /** Why the server does not answer; null if it does. */
  readonly lost: string | null;
  /** Whether events arrive. */
  readonly connected: boolean;
}

const NOTHING: Live = { state: null, calls: [], activity: null, lost: null, connected: false };

/** Reads the project and follows its events until the page is closed. */
export function useLive(): Live {
  const [live, setLive] = useState(NOTHING);
  useEffect(() => {
    const put = (part: Partial<Live>) => setLive((before) => ({ ...before, ...part }));
    const fail = (thrown: unknown) => put({ lost: messageOf(thrown) });
    const readState = () => server.state().then((state) => put({ state, lost: null }), fail);
    const readActivity = () => server.activity().then((activity) => put({ activity, lost: null }), fail);
    const readCalls = () => server.calls().then((calls) => put({ calls }), fail);
    const soon = throttle(readActivity, 500);
    const events = new EventSource('api/events');
    events.onopen = () => {
      put({ connected: true, lost: null });
      void readState();
      void readCalls();
      soon();
    };
    events.onerror = () =>
      put({ connected: false, lost: 'The server does not answer. Is it still running?' });
    events.onmessage = ({ data }) => {
      const event: WorkbenchEvent = JSON.parse(data);
      if ('project' in event) return void readState();
      setLive((before) => ({ ...before, calls: [event.call, ...before.calls].slice(0, MOST_CALLS) }));
      soon();
    };
    return () => events.close();
  }, []);
  return live;
}

/** Runs work at most once in a time. A later wish is fulfilled at its end. */
function throttle(work: () => unknown, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let again = false;
  const end = () => {
    timer = null;
    if (again) run();
  };
  const run = () => {
    again = timer !== null;
    if (timer !== null) return;
    timer = setTimeout(end, ms);
    work();
  };
  return run;
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
