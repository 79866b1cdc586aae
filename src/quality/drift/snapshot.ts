import type { AnyEntry, Catalog, ResourceEntry, ToolEntry } from '../../catalog/model.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { policySchemaEffects } from '../../policy/schema.ts';
import type { Finding } from '../../project/finding.ts';
import type { Endpoint, Project } from '../../project/model.ts';
import type { EndpointReport, TestResult } from '../test/report.ts';
import { contractSubjectOf, type EndpointContract, toEndpointContract } from './contract.ts';
import { type Code, toCode } from './source.ts';
import type { Macros, Tables } from './tables.ts';

/** The outcome of a declared test. `not run` stands for tests of endpoints that write. */
export type TestOutcome = TestResult['status'] | 'not run';

/** One endpoint: the part that clients see, and the part that they do not. */
export type EndpointSnapshot = {
  /** The YAML file, relative to the root; empty for a built-in tool. */
  readonly file: string;
  readonly contract: EndpointContract;
  readonly language?: string;
  /** Inline SQL or Python; otherwise `source` names the file. */
  readonly code?: Code;
  readonly source?: string;
  /** The function of a Python file. */
  readonly function?: string;
  readonly messages?: JsonValue;
  readonly policies?: JsonValue;
  /** The declared parts of results that `filter_sensitive_fields` may hide. */
  readonly sensitive?: JsonValue;
  /** The tables that a built-in SQL tool shows, and whether it shows attached databases. */
  readonly tables?: JsonValue;
  readonly unattached?: JsonValue;
  readonly cache?: JsonValue;
  readonly limits: JsonObject;
  /** The SQL of completions, by parameter. */
  readonly completion?: { readonly [parameter: string]: string };
  readonly metadata?: JsonValue;
  readonly tests: { readonly [name: string]: TestOutcome };
  /** The reason why the SQL cannot run on this database. */
  readonly problem?: string;
};

/** Everything that drift detection compares. It contains no time and no machine, so equal projects have equal bytes. */
export type Snapshot = {
  readonly project: string;
  readonly profile: string;
  readonly tables: Tables;
  /** Absent if there are none; older baselines have none either. */
  readonly macros?: Macros;
  readonly endpoints: { readonly [subject: string]: EndpointSnapshot };
  /** The files that contain endpoints' code. */
  readonly files: { readonly [path: string]: Code };
};

/** The inputs of a snapshot. */
interface SnapshotDeps {
  /** Must be free of errors. */
  readonly project: Project;
  readonly catalog: Catalog;
  readonly tables: Tables;
  readonly macros?: Macros;
  /** The reports of the tests; null if tests are not compared. */
  readonly reports: readonly EndpointReport[] | null;
  /** The engine's findings about the SQL of endpoints. */
  readonly findings: readonly Finding[];
  /** Python modules that endpoints may import, by path. */
  readonly modules?: { readonly [path: string]: string };
}

/** Makes a snapshot of a project and its database. */
export function toSnapshot(parts: SnapshotDeps): Snapshot {
  const { project, catalog, tables, macros = {} } = parts;
  const known = new Map(
    project.endpoints.flatMap(({ endpoint }) =>
      endpoint?.enabled ? [[contractSubjectOf(endpoint), endpoint]] : [],
    ),
  );
  const entries = [catalog.tools, catalog.resources, catalog.prompts].flatMap((kind) =>
    Object.values<AnyEntry>(kind),
  );
  const told: Told = {
    results: parts.reports && resultsOf(parts.reports),
    problems: new Map(parts.findings.toReversed().map(({ file, message }) => [file, message])),
  };
  const endpoints = entries.map((entry) => {
    const subject = contractSubjectOf(entry);
    return [subject, toEndpointSnapshot(entry, known.get(subject), told)] as const;
  });
  return plain({
    project: catalog.project,
    profile: project.site?.profile ?? '',
    tables,
    macros: Object.keys(macros).length > 0 ? macros : undefined,
    endpoints: sorted(endpoints),
    files: sorted(filesOf([...known.values()], parts.modules ?? {})),
  });
}

/** Test outcomes and findings, by file. */
interface Told {
  readonly results: ReadonlyMap<string, readonly TestResult[]> | null;
  readonly problems: ReadonlyMap<string, string>;
}

function resultsOf(reports: readonly EndpointReport[]): Told['results'] {
  const files = Map.groupBy(reports, ({ path }) => path);
  return new Map([...files].map(([path, own]) => [path, own.flatMap(({ tests }) => tests)]));
}

function toEndpointSnapshot(
  entry: AnyEntry,
  endpoint: Endpoint | undefined,
  { results, problems }: Told,
): EndpointSnapshot {
  const { file = '', metadata = {}, tests = [] } = endpoint ?? {};
  const source = sourceOf(entry, endpoint);
  const ruled = entry.policies.input.length + entry.policies.output.length > 0;
  const completion = endpoint === undefined || endpoint.kind === 'tool' ? {} : endpoint.completion;
  return plain({
    file,
    contract: toEndpointContract(entry),
    language: source?.language,
    code: source !== null && source.file === null ? toCode(source.text) : undefined,
    source: source?.file ?? undefined,
    function: functionOf(entry),
    messages: entry.kind === 'prompt' ? entry.messages : undefined,
    policies: ruled ? entry.policies : undefined,
    ...(entry.kind === 'prompt' ? {} : sightOf(entry)),
    limits: entry.limits,
    completion: Object.keys(completion).length > 0 ? completion : undefined,
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    tests: results === null ? {} : outcomesOf(tests, results.get(file) ?? []),
    problem: problems.get(file) ?? (source?.file ? problems.get(source.file) : undefined),
  });
}

/** The rules beside policies about the visible part of results, and how old results may be. */
function sightOf({ policies, returns, source, cache }: ToolEntry | ResourceEntry) {
  const hiding = policies.output.filter(({ action }) => action === 'filter_sensitive_fields');
  const hidden = policySchemaEffects({ input: [], output: hiding }, returns);
  const { tables, unattached } = source.language === 'sql' ? source : {};
  return {
    sensitive: hidden.length > 0 ? hidden.map(({ pointer }) => pointer.join('.')).toSorted() : undefined,
    tables,
    unattached,
    cache,
  };
}

type Source = Exclude<Endpoint, { readonly kind: 'prompt' }>['source'];

function sourceOf(
  entry: AnyEntry,
  endpoint: Endpoint | undefined,
): Pick<Source, 'language' | 'text' | 'file'> | null {
  if (endpoint !== undefined) return endpoint.kind === 'prompt' ? null : endpoint.source;
  // A file of a skill beside its main one belongs to no endpoint of the project.
  const { source } = entry.kind === 'prompt' ? { source: null } : entry;
  return source?.language === 'text' ? { language: 'text', text: source.text, file: null } : null;
}

function functionOf(entry: AnyEntry): string | undefined {
  if (entry.kind === 'prompt' || entry.source.language !== 'python') return undefined;
  return entry.source.function;
}

/** The outcome under each name. Of several tests of one name, a failed one counts. */
function outcomesOf(tests: Endpoint['tests'], results: readonly TestResult[]) {
  const outcomeOf = (named: string): TestOutcome => {
    const own = results.filter(({ name }) => name === named).map(({ status }) => status);
    return own.find((status) => status !== 'passed') ?? own[0] ?? 'not run';
  };
  return Object.fromEntries(tests.map(({ name }) => [name, outcomeOf(name)]));
}

function filesOf(endpoints: readonly Endpoint[], modules: { readonly [path: string]: string }) {
  const sources = endpoints.flatMap((endpoint) =>
    endpoint.kind !== 'prompt' && endpoint.source.file !== null
      ? [[endpoint.source.file, toCode(endpoint.source.text)] as const]
      : [],
  );
  return [...Object.entries(modules).map(([path, text]) => [path, toCode(text)] as const), ...sources];
}

function sorted<Value>(entries: readonly (readonly [string, Value])[]) {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Reduces a value to JSON, because the file is read back as JSON. */
function plain<Kept>(value: object): Kept {
  return JSON.parse(JSON.stringify(value));
}
