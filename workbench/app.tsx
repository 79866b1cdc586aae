import { useEffect, useRef, useState } from 'preact/hooks';
import type { EndpointCard, WorkbenchState } from '../cli/workbench/model.ts';
import { AccessView } from './access.tsx';
import { toHash } from './address.ts';
import { CallsView, type Replay } from './calls.tsx';
import { EndpointView } from './endpoint.tsx';
import { FindingsView } from './findings.tsx';
import { Overview } from './overview.tsx';
import { type Live, useLive } from './server.ts';
import { ServerView } from './server-view.tsx';

/** The page: a list of endpoints beside the view that the address names. */
export function App() {
  const live = useLive();
  const route = useRoute();
  const [replay, setReplay] = useState<Replay | null>(null);
  const onReplay = (next: Replay) => {
    setReplay(next);
    location.hash = toHash(next.endpoint);
  };
  const { state } = live;
  if (state === null) {
    return (
      <main class="alone">{live.lost === null ? <p>Loading ...</p> : <p role="alert">{live.lost}</p>}</main>
    );
  }
  return (
    <>
      <Header live={live} state={state} route={route} />
      {live.lost === null ? null : (
        <p class="lost" role="alert">
          {live.lost}
        </p>
      )}
      <div class="columns">
        <EndpointList endpoints={state.endpoints} route={route} />
        <main id="main" tabIndex={-1}>
          <View live={live} state={state} route={route} replay={replay} onReplay={onReplay} />
        </main>
      </div>
    </>
  );
}

interface ViewProps {
  readonly live: Live;
  readonly state: WorkbenchState;
  readonly route: string;
  readonly replay: Replay | null;
  readonly onReplay: (replay: Replay) => void;
}

function View({ live, state, route, replay, onReplay }: ViewProps) {
  if (route === 'calls') return <CallsView live={live} state={state} onReplay={onReplay} />;
  if (route === 'access') return <AccessView state={state} />;
  if (route === 'findings') return <FindingsView findings={state.findings} />;
  if (route === 'server') return <ServerView authoring={state.authoring} />;
  const endpoint = state.endpoints.find(({ id }) => id === route);
  if (endpoint === undefined) return <Overview live={live} state={state} />;
  const given = replay?.endpoint === endpoint.id ? replay.arguments : null;
  return <EndpointView key={endpoint.id} endpoint={endpoint} state={state} live={live} given={given} />;
}

/** The view that the address names; empty for an address that cannot be decoded, such as `#%`. */
function readRoute(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

function useRoute(): string {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const onChange = () => setRoute(readRoute());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}

const PAGES = [
  ['', 'Overview'],
  ['calls', 'Calls'],
  ['access', 'Who sees what'],
  ['findings', 'Findings'],
  ['server', 'Server'],
] as const;

function Header({
  live,
  state,
  route,
}: {
  readonly live: Live;
  readonly state: WorkbenchState;
  readonly route: string;
}) {
  const broken = state.findings.filter(({ severity }) => severity === 'error').length;
  return (
    <header class="top">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <h1>
        {state.project} <span class="dim">{state.profile}</span>
      </h1>
      <nav aria-label="Views">
        {PAGES.map(([to, name]) => (
          <a key={to} href={`#${to}`} {...(route === to ? { 'aria-current': 'page' as const } : {})}>
            {name}
            {to === 'findings' && state.findings.length > 0 ? (
              <span class={broken > 0 ? 'badge bad' : 'badge'}>{state.findings.length}</span>
            ) : null}
          </a>
        ))}
      </nav>
      <span class={live.connected ? 'good' : 'bad'} id="connection">
        {live.connected ? 'live' : 'not connected'}
      </span>
    </header>
  );
}

function EndpointList({
  endpoints,
  route,
}: {
  readonly endpoints: readonly EndpointCard[];
  readonly route: string;
}) {
  const [wanted, setWanted] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      const typing = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (event.key !== '/' || typing) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const shown = endpoints.filter(({ id, tags }) => [id, ...tags].join(' ').includes(wanted));
  return (
    <nav class="endpoints" aria-label="Endpoints">
      <label class="hidden" for="filter">
        Filter endpoints
      </label>
      <input
        id="filter"
        ref={input}
        type="search"
        placeholder="Filter (press /)"
        value={wanted}
        onInput={({ currentTarget }) => setWanted(currentTarget.value)}
      />
      {(['tool', 'resource', 'prompt'] as const).map((kind) => (
        <Group key={kind} kind={kind} endpoints={shown.filter((one) => one.kind === kind)} route={route} />
      ))}
    </nav>
  );
}

interface GroupProps {
  readonly kind: string;
  readonly endpoints: readonly EndpointCard[];
  readonly route: string;
}

function Group({ kind, endpoints, route }: GroupProps) {
  if (endpoints.length === 0) return null;
  return (
    <>
      <h2>{`${kind}s`}</h2>
      <ul>
        {endpoints.map(({ id, name, served, enabled }) => (
          <li key={id}>
            <a href={toHash(id)} {...(route === id ? { 'aria-current': 'page' as const } : {})}>
              {name}{' '}
              <span class={enabled ? 'bad' : 'dim'}>{served ? '' : enabled ? 'broken' : 'disabled'}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
