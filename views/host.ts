/*
 * The page's side of MCP Apps (specification of 2026-01-26): JSON-RPC messages to the frame around it. The page needs no more
 * of the official library than this, which has ten times the size of the page.
 */

/** The result of a tool call, as far as the page reads it. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  /** Under `svc-kit/truncated`, the reason why rows are missing; under `svc-kit/columns`, the order of columns. */
  readonly _meta?: { readonly [key: string]: unknown };
}

/** The facts about the host that change the page. */
export interface HostContext {
  readonly theme?: 'light' | 'dark';
  readonly locale?: string;
  readonly timeZone?: string;
  readonly styles?: { readonly variables?: { readonly [name: string]: string } };
}

/** The events that the page reacts to. */
interface HostEvents {
  onInput(args: Record<string, unknown>): void;
  onResult(result: ToolResult): void;
  onCancelled(): void;
  onContext(context: HostContext): void;
}

/** The host around the page. */
export interface Host {
  /** Whether the page may call the tool again. */
  readonly callsTools: boolean;
  readonly downloads: boolean;
  /** Throws the host's error, or an error of its own if the host does not answer for five minutes. */
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
}

interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

const VERSION = '2026-01-26';
/** The longest wait for an answer. A person may have to confirm a call. */
const MINUTES = 5;

/** Greets the host and listens to it. Throws if the host refuses. */
export async function connect(events: HostEvents): Promise<Host> {
  let last = 0;
  const pending = new Map<number, (message: Message) => void>();
  const post = (message: object) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const request = (method: string, params: object) => {
    last += 1;
    const id = last;
    return new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        pending.delete(id);
        reject(new Error(`The client has not answered for ${MINUTES} minutes.`));
      }, MINUTES * 60_000);
      pending.set(id, ({ result, error }) => {
        clearTimeout(timer);
        if (error) reject(new Error(error.message));
        else resolve(result);
      });
      post({ id, method, params });
    });
  };
  addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
    // Other frames may post messages too.
    if (source !== parent || data?.jsonrpc !== '2.0') return;
    const { id, method, params = {} } = data;
    if (method === undefined) {
      const settle = pending.get(Number(id));
      pending.delete(Number(id));
      settle?.(data);
    } else if (id === undefined) receive(method, params, events);
    else if (method === 'ui/resource-teardown' || method === 'ping') post({ id, result: {} });
    else post({ id, error: { code: -32601, message: 'Method not found' } });
  });
  const begun = (await request('ui/initialize', {
    appInfo: { name: 'svc-view', version: '1' },
    appCapabilities: {},
    protocolVersion: VERSION,
  })) as { hostCapabilities?: Record<string, unknown>; hostContext?: HostContext };
  events.onContext(begun.hostContext ?? {});
  const notify = (method: string, params: object) => post({ method, params });
  notify('ui/notifications/initialized', {});
  const can = begun.hostCapabilities ?? {};
  return {
    callsTools: can.serverTools !== undefined,
    downloads: can.downloadFile !== undefined,
    request,
    notify,
  };
}

function receive(method: string, params: Record<string, unknown>, events: HostEvents): void {
  if (method === 'ui/notifications/tool-input') events.onInput(toArguments(params.arguments));
  else if (method === 'ui/notifications/tool-result') events.onResult(params);
  else if (method === 'ui/notifications/tool-cancelled') events.onCancelled();
  else if (method === 'ui/notifications/host-context-changed') events.onContext(params);
}

function toArguments(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Tells the host each new size of the page, and draws again for another width. */
export function reportSize(to: Host, draw: () => void): void {
  let last = '';
  let drawn = document.body.clientWidth;
  const report = () => {
    if (document.body.clientWidth !== drawn) {
      drawn = document.body.clientWidth;
      draw();
    }
    const { width, height } = document.documentElement.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    if (JSON.stringify(size) === last) return;
    last = JSON.stringify(size);
    to.notify('ui/notifications/size-changed', size);
  };
  new ResizeObserver(report).observe(document.documentElement);
  report();
}
