/* The public API: what an adapter of another platform needs, and nothing else. */
export { type App, type AppOptions, createApp, type Extra } from './app.ts';
export type { Authenticate, SignedIn } from './auth/sender.ts';
export type { CallObserver, CallRecord } from './call/call-record.ts';
export { type Call, callEndpoint } from './call/pipeline.ts';
export type { PromptContent, PromptOutcome, ResolvedMessage } from './call/prompt.ts';
export type { Outcome, Runtime, Truncation } from './call/runtime.ts';
export { createRuntime } from './call/runtime.ts';
export { compileCatalog } from './catalog/compile.ts';
export { type FoundResource, findResource } from './catalog/find.ts';
export { type Manifest, parseManifest, toServedCatalog } from './catalog/manifest.ts';
export type { AnyEntry, Catalog, PromptEntry, ResourceEntry, ToolEntry } from './catalog/model.ts';
export type { RequestContext, User } from './context.ts';
export { ERRORS, type ErrorCode, SvcError, toPublicText, toSvcError } from './errors.ts';
export { type HttpAccess, httpAccessOf, LOCAL_ACCESS, OPEN_ACCESS } from './http/access.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type {
  Clock,
  Database,
  Files,
  Log,
  LogLine,
  SecretReference,
  SecretSource,
  Span,
  Spans,
  SqlCall,
  SqlCaller,
  SqlColumn,
  SqlRequest,
  SqlResult,
} from './ports.ts';
export type { Finding } from './project/finding.ts';
export { loadProject } from './project/load.ts';
export type { Project } from './project/model.ts';
export type { Settings } from './settings/model.ts';
export { getSecret } from './settings/secrets.ts';
export { type BundledInput, loadEdgeSettings } from './settings/without-files.ts';
export type { SqlValue } from './sql-value.ts';
export { VERSION } from './version.ts';
