import { fileURLToPath } from 'node:url';
import type { SvcError } from '../../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import type {
  LogLine,
  PrintedOptions,
  Python,
  PythonCall,
  PythonHost,
  PythonResult,
  PythonSettings,
} from '../../../src/ports.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import { SETTINGS } from './settings.ts';

/** The project whose functions the contract calls. */
export const PROJECT = fileURLToPath(new URL('./project', import.meta.url));

/** What an implementation is opened with. */
export interface OpenOptions {
  readonly root: string;
  readonly folder: string;
  readonly settings: PythonSettings;
  readonly background: PythonHost;
  readonly log: (line: LogLine) => void;
  readonly follow?: boolean;
  readonly size?: number;
}

/** How an implementation is opened, and what its platform has. */
export interface Implementation {
  readonly name: string;
  open(options: OpenOptions): Promise<Python & { printed?(): readonly string[] }>;
  /** Removes what it made, once everything is closed. */
  remove?(): Promise<void>;
  /** WebAssembly has one thread, and no others but its own. */
  readonly threads: boolean;
  /** Nor can it start programs; and what ends it is no exit code. */
  readonly processes: boolean;
  /** Its files and settings are those it was built with: other ones are another artefact, and its platform ends it. */
  readonly artefact: boolean;
}

/** What was asked of a host. */
export interface Asked {
  readonly statements: { readonly sql: string; readonly params: { readonly [name: string]: SqlValue } }[];
  readonly notices: string[];
  readonly progress: (readonly [number, number | null, string])[];
  readonly events: JsonObject[];
}

/** A host that remembers what it was asked; `answer` runs its statements. */
export function createHost(
  answer: (
    sql: string,
    params: { readonly [name: string]: SqlValue },
  ) => Promise<readonly JsonObject[]> = echo,
): PythonHost & { readonly asked: Asked } {
  const asked: Asked = { statements: [], notices: [], progress: [], events: [] };
  return {
    asked,
    execute(sql, params) {
      asked.statements.push({ sql, params });
      return answer(sql, params);
    },
    notice: (level, text) => void asked.notices.push(`${level}: ${text}`),
    progress: (...told) => void asked.progress.push(told),
    event: (event) => void asked.events.push(event),
  };
}

/** The parameters as the one row. */
async function echo(
  _sql: string,
  params: { readonly [name: string]: SqlValue },
): Promise<readonly JsonObject[]> {
  const shown = (value: SqlValue) => (typeof value === 'bigint' ? Number(value) : (value as JsonValue));
  return [Object.fromEntries(Object.entries(params).map(([name, value]) => [name, shown(value)]))];
}

/** An implementation that is open, with everything that it was told. */
export interface Opened {
  readonly python: Python;
  /** What was logged so far. */
  printed(): string;
  readonly background: ReturnType<typeof createHost>;
  call(
    name: string,
    args?: JsonObject,
    more?: Partial<PythonCall> & {
      readonly file?: string;
      readonly host?: PythonHost;
      readonly kinds?: JsonObject;
      readonly user?: JsonObject | null;
      readonly maxRows?: number;
      readonly maxBytes?: number;
      readonly printed?: PrintedOptions;
    },
  ): Promise<PythonResult>;
  value(name: string, args?: JsonObject, more?: Parameters<Opened['call']>[2]): Promise<JsonValue>;
}

/** Opens an implementation on the contract's project. */
export async function openSubject(
  { open }: Implementation,
  options: Partial<OpenOptions> = {},
): Promise<Opened> {
  const lines: LogLine[] = [];
  const background = createHost();
  const log = (line: LogLine) => void lines.push(line);
  const parts = { root: PROJECT, folder: 'python', settings: SETTINGS, background, log, size: 2 };
  const python = await open({ ...parts, ...options });
  const call: Opened['call'] = (name, args = {}, more = {}) => {
    const { file = 'python/calls.py', kinds = {}, user = null, host = createHost() } = more;
    const { signal = new AbortController().signal, timeoutMs = 30_000, printed, maxRows = 100_000 } = more;
    const { maxBytes = 100_000_000 } = more;
    const request = {
      file,
      name,
      args,
      kinds,
      user,
      maxRows,
      maxBytes,
      ...(printed === undefined ? {} : { printed }),
    };
    return python.call(request, host, { signal, timeoutMs });
  };
  const value: Opened['value'] = async (...given) => (await call(...given)).value;
  const printed = () => (python.printed?.() ?? lines.map(({ message }) => message)).join('\n');
  return { python, printed, background, call, value };
}

/** The error of something that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<SvcError> {
  return work.then(
    (value) => {
      throw new Error(`it succeeded: ${JSON.stringify(value).slice(0, 200)}`);
    },
    (thrown: SvcError) => thrown,
  );
}

/** Polls until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
