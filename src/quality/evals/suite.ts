import type { JsonObject } from '../../json.ts';
import type { Files } from '../../ports.ts';
import { byPlace, type Finding, type SourceIssue, toFindings } from '../../project/finding.ts';
import { listFolder, readText } from '../../project/read.ts';
import { checkSchema, problemAt } from '../../project/schema/issues.ts';
import { type Positions, positionAt } from '../../project/yaml/position.ts';
import { parseYaml, type YamlFile } from '../../project/yaml/yaml.ts';
import { type ParsedSuiteFile, SUITE_FILE } from './schema.ts';

/** A call that a conversation must contain. The actual call may have further arguments. */
export interface ExpectedCall {
  /** A tool's name, or a resource's URI or name. */
  readonly tool: string;
  readonly args: JsonObject;
}

/** The assertions about a conversation. All of them must hold. */
export interface EvalAssertions {
  readonly mustCall: readonly ExpectedCall[];
  readonly mustNotCall: readonly string[];
  readonly mustCallInOrder: readonly string[];
  readonly maxCalls: number | null;
  readonly answerContains: readonly string[];
  readonly answerNotContains: readonly string[];
  /** Regular expressions. */
  readonly answerMatches: readonly string[];
}

/** One question to a model, with its assertions. */
export interface EvalTest {
  readonly name: string;
  readonly description: string | null;
  readonly prompt: string;
  /** The user on whose behalf the model calls. */
  readonly userContext: JsonObject | null;
  readonly assertions: EvalAssertions;
}

/** Limits of each conversation of a suite. */
interface EvalLimits {
  /** The most requests to the model. */
  readonly turns: number;
  /** The most bytes of one result that the model receives. */
  readonly resultBytes: number;
  /** The most tokens of one answer. */
  readonly tokens: number;
}

/** The questions of one file below `evals/`. */
export interface Suite {
  readonly name: string;
  readonly description: string | null;
  /** A name under `models` of the user file; null selects the default model. */
  readonly model: string | null;
  /** Instructions that precede every question. */
  readonly system: string | null;
  /** Names of the tools and resources that the model sees; null offers all. */
  readonly offer: readonly string[] | null;
  readonly limits: EvalLimits;
  readonly tests: readonly EvalTest[];
}

/** A file below `evals/`; `suite` is null if it has errors. */
export interface SuiteFile {
  /** Relative to the project's root. */
  readonly file: string;
  readonly suite: Suite | null;
  readonly positions: Positions;
}

/** The suites of a project, ordered by path, and findings about them. */
export interface LoadedSuites {
  readonly files: readonly SuiteFile[];
  readonly findings: readonly Finding[];
}

/** Reads every `.yml` and `.yaml` file below the folder of evaluations. */
export async function loadSuites(files: Files, folder: string): Promise<LoadedSuites> {
  const listed = await listFolder(files, folder);
  if ('code' in listed) return { files: [], findings: toFindings(folder, [listed]) };
  const names = listed.filter((file) => /\.ya?ml$/i.test(file) && !/(^|\/)\./.test(file));
  const loaded = await Promise.all(names.map((file) => loadSuite(files, file)));
  const all = loaded.map(({ file }) => file);
  const findings = [...loaded.flatMap((one) => one.findings), ...checkNames(all)];
  const twice = new Set(checkNames(all).map(({ file }) => file));
  return {
    files: all.map((one) => (twice.has(one.file) ? { ...one, suite: null } : one)),
    findings: findings.toSorted(byPlace),
  };
}

interface Loaded {
  readonly file: SuiteFile;
  readonly findings: readonly Finding[];
}

async function loadSuite(files: Files, file: string): Promise<Loaded> {
  const broken = (problems: readonly SourceIssue[]): Loaded => ({
    file: { file, suite: null, positions: {} },
    findings: toFindings(file, problems),
  });
  const read = await readText(files, file);
  if ('problem' in read) return broken([read.problem]);
  const parsed = parseYaml(read.text ?? '');
  if ('problems' in parsed) return broken(parsed.problems);
  const checked = checkSchema(SUITE_FILE, parsed.yaml);
  if ('problems' in checked) return broken(checked.problems);
  const problems = checkTests(checked.value, parsed.yaml);
  if (problems.length > 0) return broken(problems);
  return { file: { file, suite: toSuite(checked.value), positions: parsed.yaml.positions }, findings: [] };
}

/** The names of tests become file names, so they must be unique. */
function checkTests({ tests }: ParsedSuiteFile, yaml: YamlFile): readonly SourceIssue[] {
  return tests.flatMap(({ name }, index) =>
    tests.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) === index
      ? []
      : [
          problemAt(yaml, ['tests', index, 'name'], {
            code: 'duplicate-name',
            message: `is ${name}, which is the name of a test above.`,
            fix: 'Rename one of them.',
          }),
        ],
  );
}

function checkNames(files: readonly SuiteFile[]): readonly Finding[] {
  const named = files.flatMap(({ file, suite, positions }) =>
    suite === null ? [] : [{ file, name: suite.name, ...positionAt(positions, ['suite']) }],
  );
  const groups = Map.groupBy(named, ({ name }) => name.toLowerCase());
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .flatMap((group) =>
      group.map(({ file, name, line, column }) => ({
        severity: 'error' as const,
        code: 'duplicate-name',
        file,
        line,
        column,
        message: `The suite ${name} is in ${group.map((one) => one.file).join(' and in ')}.`,
        fix: 'Rename one of them.',
      })),
    );
}

const TURNS = 10;
const RESULT_BYTES = 65_536;
const TOKENS = 4_096;

function toSuite(parsed: ParsedSuiteFile): Suite {
  const { limits } = parsed;
  return {
    name: parsed.suite,
    description: parsed.description ?? null,
    model: parsed.model ?? null,
    system: parsed.system ?? null,
    offer: parsed.offer ?? null,
    limits: {
      turns: limits?.turns ?? TURNS,
      resultBytes: limits?.result_bytes ?? RESULT_BYTES,
      tokens: limits?.tokens ?? TOKENS,
    },
    tests: parsed.tests.map(({ name, description, prompt, user_context, assertions }) => ({
      name,
      description: description ?? null,
      prompt,
      userContext: user_context ?? null,
      assertions: toAssertions(assertions ?? {}),
    })),
  };
}

type ParsedAssertions = NonNullable<ParsedSuiteFile['tests'][number]['assertions']>;

function toAssertions(parsed: ParsedAssertions): EvalAssertions {
  return {
    mustCall: (parsed.must_call ?? []).map(({ tool, args }) => ({ tool, args: args ?? {} })),
    mustNotCall: parsed.must_not_call ?? [],
    mustCallInOrder: parsed.must_call_in_order ?? [],
    maxCalls: parsed.max_calls ?? null,
    answerContains: parsed.answer_contains ?? [],
    answerNotContains: parsed.answer_not_contains ?? [],
    answerMatches: parsed.answer_matches ?? [],
  };
}
