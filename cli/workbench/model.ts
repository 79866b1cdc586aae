/* The messages between the workbench's page and its server. The page imports only types. */

import type { LiveCall } from '../../src/admin/live-calls.ts';
import type { Activity, Config, Status } from '../../src/admin/source.ts';
import type { JsonObject, JsonValue } from '../../src/json.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { EndpointKind, ViewKind } from '../../src/project/model.ts';
import type { MatrixRow } from '../../src/quality/matrix/matrix.ts';
import type { EndpointReport } from '../../src/quality/test/report.ts';

export type { Activity, Config, EndpointKind, EndpointReport, JsonObject, JsonValue, LiveCall, MatrixRow };

/** A line of a file near a finding. */
interface FrameLine {
  readonly line: number;
  readonly text: string;
}

/** A finding with the lines around it. */
export interface FramedFinding extends Finding {
  readonly frame: readonly FrameLine[];
}

/** An endpoint file as the workbench lists it. */
export interface EndpointCard {
  /** `kind/name`, as in statistics and the policy matrix; the path of the file for a disabled endpoint. */
  readonly id: string;
  readonly kind: EndpointKind;
  /** The name of a tool or a prompt, the URI template of a resource. */
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly file: string;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  /** Whether the endpoint is served now. */
  readonly served: boolean;
  /** The view in which clients with MCP Apps show results; null without one. */
  readonly view: ViewKind | null;
  /** The columns of the result that are declared as texts. */
  readonly texts: readonly string[];
  readonly enabled: boolean;
  /** The JSON Schema of the arguments. */
  readonly schema: JsonObject;
  /** Example arguments of the first test that is not about an error; null without one. */
  readonly example: JsonObject | null;
  readonly tests: readonly string[];
  /** Estimated tokens that the endpoint takes in a model's context before any call. */
  readonly tokens: number;
  /** The code, on `svc dev`; null elsewhere. */
  readonly source: { readonly language: string; readonly text: string } | null;
}

/** A user to run calls as. */
export interface WorkbenchUser {
  readonly name: string;
  /** The claims; null for an anonymous caller. */
  readonly context: JsonObject | null;
}

/** Everything about the project that the page shows. */
export interface WorkbenchState {
  readonly project: string;
  readonly profile: string;
  readonly version: string;
  /** Hash of the catalog. */
  readonly hash: string;
  /** Whether calls, tests and changes of files are possible here: on `svc dev` only. */
  readonly authoring: boolean;
  /** Whether real callers must sign in. */
  readonly signIn: boolean;
  readonly endpoints: readonly EndpointCard[];
  readonly users: readonly WorkbenchUser[];
  readonly matrix: readonly MatrixRow[];
  readonly findings: readonly FramedFinding[];
}

/** A call of the page: as a known user by name, or with claims. */
export interface CallRequest {
  readonly kind: EndpointKind;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly user: string | JsonObject | null;
  /** Answers to the questions of an earlier, unfinished answer, as the protocol wants them. */
  readonly answers?: JsonObject;
}

/** The kinds of questions: a form for a person, a text of the client's model, the folders of the client. */
type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A question that must be answered before a call runs (MCP, "Elicitation", "Sampling", "Roots"). */
export interface AskedQuestion {
  readonly key: string;
  readonly method: QuestionMethod;
  readonly message: string;
  /** The JSON Schema of the form: the answer itself, or its `text` or `roots`. */
  readonly schema: JsonObject;
}

/** The answer to a call in each of its forms. */
export interface CallAnswer {
  /** The messages on the wire. */
  readonly sent: JsonValue;
  readonly received: JsonValue;
  readonly status: number;
  readonly ms: number;
  /** The value of the result; absent for an error. */
  readonly value?: JsonValue;
  /** The result as tests see it, whatever its form for clients; absent for an error. */
  readonly result?: JsonValue;
  /** The text that a model reads. */
  readonly text: string;
  readonly tokens: number;
  readonly failed: boolean;
  /** The error code in records; null for a success, or for a call that did not reach an endpoint. */
  readonly code: string | null;
  /** The reason that the client does not get, without secrets; null if the client gets it, or nothing failed. */
  readonly cause: string | null;
  /** The questions that the call waits for. */
  readonly questions: readonly AskedQuestion[];
  /** The call with its steps and its audit record; null if it did not reach an endpoint. */
  readonly live: LiveCall | null;
}

/** A call to be saved as a test. */
export interface TestDraft {
  readonly endpoint: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly user_context: JsonObject | null;
  /** The assertion: the whole result, or that the call is denied. */
  readonly expect: { readonly result: JsonValue } | { readonly denied: true };
}

/** The change of a file that saves a test. */
export interface TestDiff {
  readonly file: string;
  /** Lines with ` `, `-` or `+` before them. */
  readonly diff: readonly string[];
  /** The digest of the file's present text; saving fails if the file changes meanwhile. */
  readonly hash: string;
}

/** The health of one database. */
export interface DatabaseHealth {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly message: string | null;
}

/** The state of the server. */
export interface ServerState {
  readonly status: Status;
  readonly config: Config;
  readonly memory_bytes: number;
  readonly databases: readonly DatabaseHealth[];
}

/** The changes since the baseline of `svc drift-snapshot`; `message` says why there are none to show. */
export interface DriftState {
  readonly message: string | null;
  readonly changes: readonly { readonly title: string; readonly severity: string }[];
}

/** A message of the stream of events. */
export type WorkbenchEvent = { readonly call: LiveCall } | { readonly project: string };
