import type { NotificationLevel } from './context.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { SqlValue } from './sql-value.ts';

/**
 * The values that the SQL user functions (`get_user_email()` ...) return for one call; null for an anonymous
 * caller.
 */
export interface SqlCaller {
  readonly externalToken: string | null;
  readonly username: string | null;
  readonly provider: string | null;
  readonly email: string | null;
  readonly headers: ReadonlyMap<string, string> | null;
}

/** A column or a value in a condition on rows. */
export type RowOperand = { readonly column: string } | { readonly value: SqlValue };

/** A condition on the rows of a table, as data: engines write it as SQL and bind its values. */
export type RowCondition =
  | { readonly is: boolean | null }
  | { readonly column: string }
  | { readonly every: readonly RowCondition[] }
  | { readonly some: readonly RowCondition[] }
  | { readonly not: RowCondition }
  | { readonly missing: RowOperand }
  | { readonly left: RowOperand; readonly operator: RowOperator; readonly right: RowOperand };

export type RowOperator =
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'starts_with'
  | 'ends_with'
  | 'contains';

/** A table or view as a restricted caller sees it (`sql_tools.tables`). */
export interface RestrictedTable {
  /** As `list_tables` shows it. */
  readonly name: string;
  /** The caller sees the rows for which this is true; null for all. */
  readonly rows: RowCondition | null;
  readonly hide: readonly string[];
  /** Columns with the text that replaces each of their values. */
  readonly mask: { readonly [column: string]: string };
}

/** One statement with positional parameters `$1 .. $n`. */
export interface SqlRequest {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** `read` runs as one wrapped SELECT that cannot write; `write` runs as it is, on a read-write database only. */
  readonly mode: 'read' | 'write';
  /** At most this many rows come back; more set `truncated`. */
  readonly maxRows: number;
  /**
   * The first rows come back whose JSON may have at most this many bytes; more set `truncated` and `beyondBytes`. Engines
   * estimate the bytes and never too many, so the result may be a little larger.
   */
  readonly maxBytes?: number;
  /**
   * Whether the caller wrote the statement. It then reaches only the database's own tables, even if the project's
   * SQL may reach more.
   */
  readonly confined?: boolean;
  /** The statement meets only these tables, as described. Requires `unattached`. */
  readonly restricted?: readonly RestrictedTable[];
  /** If true, the databases beside the project's own stay out of sight, and unqualified names mean its own. */
  readonly unattached?: boolean;
  /** Refuses the statement before it runs if its plan's estimate is beyond these: scan_too_large. */
  readonly scan?: ScanLimits;
}

/** The most rows and bytes that a statement may scan, by the estimate of its plan. */
export interface ScanLimits {
  readonly rows?: number;
  readonly bytes?: number;
}

/** The estimate of a plan: the rows and bytes that its scans give; null where there is none. */
export interface ScanEstimate {
  readonly rows: number | null;
  readonly bytes: number | null;
}

/** The circumstances of one statement. */
export interface SqlCall {
  readonly caller: SqlCaller | null;
  readonly signal: AbortSignal;
  /** Milliseconds the statement may take. */
  readonly timeoutMs: number;
}

/** A column of a result: its name and DuckDB's name of its type. */
export interface SqlColumn {
  readonly name: string;
  readonly type: string;
}

/** Rows in their exact JSON form (docs/reference/types.md), the same on every engine. */
export interface SqlResult {
  readonly columns: readonly SqlColumn[];
  readonly rows: readonly JsonObject[];
  readonly truncated: boolean;
  /** Present if the statement gave a name to several columns, which have other names here: these names, in lower case. */
  readonly repeated?: readonly string[];
  /** Present if rows are missing because of `maxBytes`. */
  readonly beyondBytes?: true;
  /** Present if the request has limits on scans. */
  readonly estimate?: ScanEstimate;
  /** Present if the database lies in an object store: the ranges and bytes that the statement fetched. */
  readonly fetched?: FetchedRanges;
}

/** Requests for ranges of a database in an object store, and the bytes that they brought. */
export interface FetchedRanges {
  readonly ranges: number;
  readonly bytes: number;
}

/**
 * The embedded SQL database, opened. Errors are SvcErrors of the codes sql_failed, sql_rejected,
 * scan_too_large, database_*, memory_exceeded, deadline_exceeded, cancelled, busy.
 */
export interface Database {
  readonly engine: 'duckdb-wasm' | 'duckdb-native';
  readonly readonly: boolean;
  /** True if nothing can change the data while the database is open. */
  readonly unchanging?: boolean;
  run(request: SqlRequest, call: SqlCall): Promise<SqlResult>;
  /**
   * Parses and plans a statement without running it; throws sql_failed. Returns the names of a write's columns, as the
   * statement gives them; none for a read.
   */
  prepare(sql: string, mode: 'read' | 'write'): Promise<readonly string[]>;
  /** Plans a query with its most rows, and returns DuckDB's plan. Only an engine in this thread has it. */
  explain?(request: Omit<SqlRequest, 'mode'>): Promise<JsonValue>;
  close(): Promise<void>;
}

/** One call of a function in a Python file of the project. */
export interface PythonRequest {
  /** Relative to the project's root. */
  readonly file: string;
  readonly name: string;
  /** Checked, with their defaults; each is given by its name. */
  readonly args: JsonObject;
  /** The kinds of texts and numbers in the arguments that become other Python values: `date`, `{ items: 'date' }` ... */
  readonly kinds: JsonObject;
  /** The user as `svc.runtime.user` shows it; null for an anonymous caller. */
  readonly user: JsonObject | null;
  /** A list comes back with at most this many items; more set `truncated`. */
  readonly maxRows: number;
  /** A result whose JSON has more bytes fails with result_too_large. The bytes are estimated, and never too high. */
  readonly maxBytes: number;
  readonly printed?: PrintedOptions;
}

/** The treatment of lines that a function prints. */
export interface PrintedOptions {
  /** Texts that are removed from the lines: sensitive arguments and credentials of the call. */
  readonly hidden: readonly string[];
  /** Fields of the log lines, such as the id of the request. */
  readonly fields: JsonObject;
}

/** The circumstances of one call of a Python function. */
export interface PythonCall {
  readonly signal: AbortSignal;
  /** Milliseconds the call may take, waiting for its turn included. */
  readonly timeoutMs: number;
}

/** The return value of a Python function. */
export interface PythonResult {
  /** In the JSON forms of SQL values (docs/reference/types.md). */
  readonly value: JsonValue;
  /** The value is `bytes`, as base64. */
  readonly binary: boolean;
  readonly truncated: boolean;
}

/** The requests that a running Python function can make. Python gets the public text of a thrown SvcError. */
export interface PythonHost {
  /** Called when an interpreter is about to run the function of a call. */
  begin?(): void;
  /** Rows in their JSON form; parameters are bound by name. */
  execute(sql: string, params: { readonly [name: string]: SqlValue }): Promise<readonly JsonObject[]>;
  notice(level: NotificationLevel, text: string): void;
  progress(done: number, total: number | null, text: string): void;
  /** Something that belongs into the audit record of the call. */
  event(event: JsonObject): void;
}

/** The configuration that Python may read. */
export interface PythonSettings {
  /** The parameters of a secret that the site file names; null for any other. */
  secret(name: string): JsonObject | null;
  /** `config.site_config` and `config.user_config`, without any secret. */
  config(): { readonly site: JsonObject; readonly user: JsonObject };
  /** A text of Python's, for the log or for a client, without the secrets that it was given. */
  conceal?(text: string): string;
}

/**
 * Runs the project's Python. Errors are SvcErrors of the codes python_*, deadline_exceeded, cancelled, busy, or the
 * host's own.
 */
export interface Python {
  readonly kind: 'child' | 'pyodide' | 'rpc';
  call(request: PythonRequest, host: PythonHost, call: PythonCall): Promise<PythonResult>;
  /**
   * Loads files ahead of their first call, which finds problems early. Never throws. When the signal aborts, no further
   * file is loaded.
   */
  warm?(files: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Starts an interpreter ahead of the first call. Throws `python_unavailable`. */
  start?(): Promise<void>;
  /** Runs `@on_shutdown` within a bound, and ends. */
  close(): Promise<void>;
}

/** A span's attribute values (telemetry carries no others). */
export type SpanAttributes = { readonly [name: string]: string | number | boolean };

/** An open span. It ends with the function that runs in it, as an error if the function throws. */
export interface Span {
  /** Null if no span is recorded. */
  readonly traceId: string | null;
  set(attributes: SpanAttributes): void;
  span<T>(name: string, attributes: SpanAttributes, run: (span: Span) => Promise<T>): Promise<T>;
}

/** Records spans. */
export interface Spans {
  /** Opens the root span of this server in the caller's trace (W3C `traceparent`), or in a new one. */
  trace<T>(
    name: string,
    attributes: SpanAttributes,
    parent: string | null,
    run: (span: Span) => Promise<T>,
  ): Promise<T>;
}

/** Time, so that tests can hold it. */
export interface Clock {
  now(): number;
}

/** One structured line of the application log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields?: JsonObject;
  /** The line reports one call. For people its message says it all, so the fields are left out. */
  readonly isCall?: true;
}

/** Writes a log line. */
export type Log = (line: LogLine) => void;

/** Writes audit records, one JSON text each. */
export interface AuditSink {
  /** Takes a record; neither throws nor waits. */
  record(line: string): void;
  /** Throws `audit_unavailable` while no call may be answered, because it could not be recorded. */
  admit(): void;
  /**
   * Null if the records are in the file, or will be in a moment. If the disk falls behind, settles when the records
   * taken so far are in the file, or cannot be written. Never throws.
   */
  written?(): Promise<void> | null;
  /** Settles when everything taken so far is safe; throws when it cannot be made so. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The project's own files, read-only; paths are relative to its root with `/` separators. */
export interface Files {
  /** Every file below a folder, recursive and sorted; empty when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** A file's bytes, at most `limit`; null when there is no such file. Throws SvcError for paths outside the root. */
  read(path: string, limit?: number): Promise<Uint8Array | null>;
}

/** A reference in the user's configuration (spec, "Dynamic values"). */
export type SecretReference =
  | { readonly scheme: 'env'; readonly name: string }
  | { readonly scheme: 'file'; readonly path: string }
  | { readonly scheme: 'vault'; readonly path: string; readonly field: string }
  | {
      readonly scheme: 'op';
      readonly vault: string;
      readonly item: string;
      readonly section: string | null;
      readonly field: string;
      readonly otp: boolean;
    };

/** Resolves references. Throws reference_unresolved, whose text never contains a value or a token. */
export interface SecretSource {
  read(reference: SecretReference, signal: AbortSignal): Promise<string>;
}

/** A value of a store with the version that a later put must name. */
export interface StoredValue {
  readonly value: string;
  readonly version: number;
}

/** Stores sessions and one-time marks. Values are sealed, and expired rows are gone. */
export interface TokenStore {
  /** `eventual`: claims and versions are not to be relied on. */
  readonly consistency: 'strong' | 'eventual';
  /** Claims a key for its lifetime; true only for the first claim. */
  claimOnce(key: string, seconds: number): Promise<boolean>;
  get(key: string): Promise<StoredValue | null>;
  /** Writes unless the version differs from `ifVersion`; 0 means that there must be none. Tells whether it wrote. */
  put(
    key: string,
    value: string,
    options: { readonly seconds: number; readonly ifVersion?: number },
  ): Promise<boolean>;
  /** Also frees a claimed key. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}
