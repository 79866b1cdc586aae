import { useState } from 'preact/hooks';
import type { JsonObject, LiveCall, WorkbenchState } from '../cli/workbench/model.ts';
import { CallDetail } from './call-detail.tsx';
import { Scroll } from './scroll.tsx';
import type { Live } from './server.ts';

/** Arguments of an earlier call, for the form of its endpoint. */
export interface Replay {
  readonly endpoint: string;
  readonly arguments: JsonObject;
}

interface CallsProps {
  readonly live: Live;
  readonly state: WorkbenchState;
  readonly onReplay: (replay: Replay) => void;
}

const OUTCOMES = ['all', 'success', 'error', 'denied'] as const;

/** The latest calls as they happen, with a filter and the details of one. */
export function CallsView({ live, state, onReplay }: CallsProps) {
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<string>('all');
  const [open, setOpen] = useState<string | null>(null);
  const shown = live.calls.filter(
    (call) => matches(call, text) && (outcome === 'all' || outcomeOf(call) === outcome),
  );
  const chosen = live.calls.find(({ record }) => record.record_id === open) ?? null;
  return (
    <>
      <section>
        <h2>Calls</h2>
        <div class="row">
          <div class="field">
            <label for="call-filter">Endpoint or user</label>
            <input
              id="call-filter"
              type="search"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </div>
          <div class="field">
            <label for="call-outcome">Outcome</label>
            <select
              id="call-outcome"
              value={outcome}
              onChange={({ currentTarget }) => setOutcome(currentTarget.value)}
            >
              {OUTCOMES.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
        </div>
        {shown.length === 0 ? (
          <p class="dim">No call yet. A call of any client appears here as it ends.</p>
        ) : null}
        <Scroll label="Latest calls">
          <table id="calls">
            <tbody>
              {shown.map((call) => (
                <CallRow key={call.record.record_id} call={call} isOpen={call === chosen} onOpen={setOpen} />
              ))}
            </tbody>
          </table>
        </Scroll>
      </section>
      {chosen === null ? null : <Chosen call={chosen} state={state} onReplay={onReplay} />}
    </>
  );
}

function outcomeOf({ record }: LiveCall): string {
  return record.policy_decision === 'deny' ? 'denied' : record.operation_status;
}

function matches({ record }: LiveCall, text: string): boolean {
  return `${record.operation_type} ${record.operation_name} ${record.user_id ?? 'anonymous'}`.includes(text);
}

interface CallRowProps {
  readonly call: LiveCall;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

function CallRow({ call, isOpen, onOpen }: CallRowProps) {
  const { record } = call;
  const outcome = outcomeOf(call);
  return (
    <tr>
      <td class="dim">{new Date(record.timestamp).toLocaleTimeString()}</td>
      <td>
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => onOpen(record.record_id)}>
          {record.operation_name}
        </button>
      </td>
      <td class={outcome === 'success' ? 'good' : 'bad'}>
        {outcome === 'error' ? record.error_code : outcome}
      </td>
      <td>{record.user_id ?? 'anonymous'}</td>
      <td class="number">{record.duration_ms} ms</td>
      <td class="number">{record.result_count ?? '-'} rows</td>
      <td class="dim">{record.cached === true ? 'cached' : record.caller_type}</td>
    </tr>
  );
}

function Chosen({ call, state, onReplay }: { readonly call: LiveCall } & Omit<CallsProps, 'live'>) {
  const { operation_type: kind, operation_name: name, input_data: args } = call.record;
  const endpoint = state.endpoints.find((one) => one.enabled && one.kind === kind && one.name === name);
  return (
    <section id="call">
      <h2>{name}</h2>
      {endpoint === undefined || args === undefined ? null : (
        <button type="button" onClick={() => onReplay({ endpoint: endpoint.id, arguments: args })}>
          Replay in the form
        </button>
      )}
      <CallDetail call={call} />
    </section>
  );
}
