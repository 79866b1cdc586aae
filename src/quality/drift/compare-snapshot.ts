import { isList, isObject, type JsonObject, type JsonValue, own } from '../../json.ts';
import { type Difference, type DriftChange, differ, sortChanges, toChanges } from './change.ts';
import { compareEndpointContracts } from './compare-contract.ts';
import { compareMacros, compareTables } from './compare-tables.ts';
import { isUnchanged } from './effect.ts';
import type { EndpointSnapshot, Snapshot, TestOutcome } from './snapshot.ts';
import { type Code, compareCode, toCode } from './source.ts';

/** Options of a comparison. */
interface CompareOptions {
  /** Whether test outcomes and findings of the engine count. False if different engines took the snapshots. */
  readonly outcomes: boolean;
}

/** Every change between two snapshots, the gravest first. */
export function compareSnapshots(
  before: Snapshot,
  after: Snapshot,
  options: CompareOptions = { outcomes: true },
): readonly DriftChange[] {
  return sortChanges([
    ...compareTables(before.tables, after.tables),
    // A baseline without macros may be older than their comparison.
    ...(before.macros === undefined ? [] : compareMacros(before.macros, after.macros ?? {})),
    ...compareFiles(before, after),
    ...compareEndpoints(before.endpoints, after.endpoints, options),
  ]);
}

/**
 * Compares files of code. If an endpoint names a file that is new or gone, the change of the endpoint shows it; nothing
 * else shows a Python module that endpoints import.
 */
function compareFiles(before: Snapshot, after: Snapshot): readonly DriftChange[] {
  const [was, is] = [namedFiles(before), namedFiles(after)];
  const paths = [...new Set([...Object.keys(before.files), ...Object.keys(after.files)])].toSorted();
  return paths.flatMap((path) => {
    const [old, now] = [own(before.files, path), own(after.files, path)];
    if (old === undefined) return is.has(path) ? [] : toChanges(`file ${path}`, [added(now ?? [])]);
    if (now === undefined) return was.has(path) ? [] : toChanges(`file ${path}`, [removed(old)]);
    return toChanges(`file ${path}`, compareCode('', old, now, path.endsWith('.py') ? 'python' : 'sql'));
  });
}

/** The files that endpoints name. */
function namedFiles({ endpoints }: Snapshot): ReadonlySet<string> {
  return new Set(Object.values(endpoints).flatMap(({ source }) => source ?? []));
}

function added(code: Code): Difference {
  return differ(['widening', '', 'Python may import it.'], undefined, linesIn(code));
}

function removed(code: Code): Difference {
  return differ(['breaking', '', 'Python that imports it fails.'], linesIn(code), undefined);
}

function linesIn({ length }: Code): string {
  return length === 1 ? '1 line' : `${length} lines`;
}

function compareEndpoints(
  before: Snapshot['endpoints'],
  after: Snapshot['endpoints'],
  options: CompareOptions,
): readonly DriftChange[] {
  const subjects = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return subjects.flatMap((subject) => {
    const [old, now] = [own(before, subject), own(after, subject)];
    return toChanges(subject, compareEndpoint(old, now, options));
  });
}

function compareEndpoint(
  before: EndpointSnapshot | undefined,
  after: EndpointSnapshot | undefined,
  { outcomes }: CompareOptions,
): readonly Difference[] {
  if (before === undefined)
    return [differ(['widening', '', 'It is new for clients.'], undefined, after?.file ?? '')];
  if (after === undefined)
    return [differ(['breaking', '', 'It is no longer served.'], before.file, undefined)];
  return [
    ...compareEndpointContracts(before.contract, after.contract),
    ...compareSource(before, after),
    ...compareMessages(before.messages, after.messages),
    ...RULES.flatMap((rules) => compareRules(rules, before[rules], after[rules])),
    ...compareCache(before.cache, after.cache),
    ...compareLimits(before.limits, after.limits),
    ...compareCompletion(before.completion, after.completion),
    ...compareTexts(before, after),
    ...(outcomes ? [...compareTests(before.tests, after.tests), ...compareProblem(before, after)] : []),
  ];
}

/** For code in a file, reports only that the endpoint names another file. The content is compared separately. */
function compareSource(before: EndpointSnapshot, after: EndpointSnapshot): readonly Difference[] {
  if (before.code !== undefined && after.code !== undefined && before.language === after.language) {
    return compareCode('source', before.code, after.code, after.language ?? 'sql');
  }
  const [old, now] = [nameOf(before), nameOf(after)];
  if (old === now) return [];
  return [differ(['breaking', 'source', 'It runs different code.'], old, now)];
}

function nameOf({ source, code, language, function: name }: EndpointSnapshot): string | undefined {
  const place = source ?? (code === undefined ? undefined : `${language ?? 'sql'} in the YAML`);
  return name === undefined ? place : `${name} of ${place}`;
}

function compareMessages(before: JsonValue | undefined, after: JsonValue | undefined): readonly Difference[] {
  if (isUnchanged(before, after)) return [];
  return isUnchanged(frameOf(before), frameOf(after))
    ? [differ(['wording', 'messages', 'Only the text differs.'], before, after)]
    : [differ(['breaking', 'messages', 'It has other messages.'], before, after)];
}

/** The messages without their texts. For another type than text, `prompt` is the URI of a resource. */
function frameOf(messages: JsonValue | undefined): JsonValue {
  if (!isList(messages)) return null;
  return messages.map((one) => {
    if (!isObject(one)) return null;
    const { role = null, type = null, prompt = null } = one;
    return [role, type, type === 'text' ? null : prompt];
  });
}

const RULES = ['policies', 'sensitive', 'tables', 'unattached'] as const;

/** Any change of a rule counts as breaking, because callers may see more or less than agreed. */
function compareRules(
  at: (typeof RULES)[number],
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Difference[] {
  if (isUnchanged(before, after)) return [];
  return isUnchanged(rulesOf(before), rulesOf(after))
    ? [differ(['wording', at, 'Only reasons differ.'], before, after)]
    : [differ(['breaking', at, 'Access to it, or the visible part of its results, differs.'], before, after)];
}

function rulesOf(policies: JsonValue | undefined): JsonValue {
  if (isList(policies)) return policies.map(rulesOf);
  if (!isObject(policies)) return policies ?? null;
  const rules = Object.entries(policies).filter(([key]) => key !== 'reason');
  return Object.fromEntries(rules.map(([key, value]) => [key, rulesOf(value)]));
}

function compareCache(before: JsonValue | undefined, after: JsonValue | undefined): readonly Difference[] {
  if (isUnchanged(before, after)) return [];
  return ageOf(after) > ageOf(before)
    ? [differ(['breaking', 'cache', 'Results may be older than before.'], before, after)]
    : [differ(['widening', 'cache', 'Results are newer than before.'], before, after)];
}

function ageOf(cache: JsonValue | undefined): number {
  return isObject(cache) ? Number(cache.ttlMs) : 0;
}

function compareLimits(before: JsonObject, after: JsonObject): readonly Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((limit) => !isUnchanged(before[limit], after[limit]))
    .map((limit) =>
      amountOf(after[limit]) < amountOf(before[limit])
        ? differ(
            ['breaking', `limits.${limit}`, 'Calls within the old limit may exceed the new one.'],
            before[limit],
            after[limit],
          )
        : differ(['widening', `limits.${limit}`, 'The limit is higher.'], before[limit], after[limit]),
    );
}

/** A limit that is absent is none. */
function amountOf(limit: JsonValue | undefined): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Compares the SQL of completions by their parameters. */
function compareCompletion(
  before: EndpointSnapshot['completion'] = {},
  after: EndpointSnapshot['completion'] = {},
): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [path, old, now] = [`completion.${name}`, own(before, name), own(after, name)];
    if (old === undefined) return [differ(['widening', path, 'Values are offered.'], old, now)];
    if (now === undefined) return [differ(['breaking', path, 'Values are no longer offered.'], old, now)];
    return compareCode(path, toCode(old), toCode(now), 'sql');
  });
}

function compareTexts(before: EndpointSnapshot, after: EndpointSnapshot): readonly Difference[] {
  return (['file', 'metadata'] as const)
    .filter((key) => !isUnchanged(before[key], after[key]))
    .map((key) => differ(['wording', key, 'It has no effect on calls.'], before[key], after[key]));
}

type Outcomes = EndpointSnapshot['tests'];

function compareTests(before: Outcomes, after: Outcomes): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => compareTest(`tests.${name}`, own(before, name), own(after, name)));
}

function compareTest(
  at: string,
  before: TestOutcome | undefined,
  after: TestOutcome | undefined,
): readonly Difference[] {
  const [was, is] = [verdictOf(before), verdictOf(after)];
  if (was === is) return [];
  if (is === 'fails') return [differ(['breaking', at, 'The test fails.'], before, after)];
  if (is === 'unknown') return [differ(['wording', at, 'It is no longer tested.'], before, after)];
  if (was === 'unknown') return [differ(['wording', at, 'It is tested now.'], before, after)];
  return [differ(['widening', at, 'It no longer fails.'], before, after)];
}

function verdictOf(outcome: TestOutcome | undefined): 'holds' | 'fails' | 'unknown' {
  if (outcome === undefined || outcome === 'not run') return 'unknown';
  return outcome === 'passed' ? 'holds' : 'fails';
}

function compareProblem(
  { problem: before }: EndpointSnapshot,
  { problem: after }: EndpointSnapshot,
): readonly Difference[] {
  if (before === after || (before !== undefined && after !== undefined)) return [];
  return after === undefined
    ? [differ(['widening', 'problem', 'Its SQL runs on this database.'], before, after)]
    : [differ(['breaking', 'problem', 'Its SQL does not run on this database.'], before, after)];
}
