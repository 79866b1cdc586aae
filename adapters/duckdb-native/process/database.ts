import { SvcError } from '../../../src/errors.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import type { EngineHost } from './engine-host.ts';

/** The deadline of `prepare`, in milliseconds. Its callers pass none. */
const PREPARE_TIMEOUT_MS = 30_000;

/** A database whose engine is in a process of its own. */
export class ProcessDatabase implements Database {
  readonly engine = 'duckdb-native';
  readonly readonly: boolean;
  readonly #host: EngineHost;
  readonly #id: number;

  constructor(host: EngineHost, id: number, readonly: boolean) {
    this.#host = host;
    this.#id = id;
    this.readonly = readonly;
  }

  /** The process that runs statements now; null while another one starts. */
  get pid(): number | null {
    return this.#host.pid;
  }

  async run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    const result = await this.#host.submit(this.#id, { kind: 'run', request }, call);
    if (result === null) throw new SvcError('internal', 'an engine answered a query without a result');
    return result;
  }

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<void> {
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: PREPARE_TIMEOUT_MS };
    await this.#host.submit(this.#id, { kind: 'prepare', sql, mode }, call);
  }

  close(): Promise<void> {
    return this.#host.remove(this.#id);
  }
}
