import { parse } from 'yaml';

/** The parts of StrykerJS's report that we read. */
export interface MutationReport {
  readonly files: {
    readonly [path: string]: { readonly source: string; readonly mutants: readonly Mutant[] };
  };
}

interface Mutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** A change that no test noticed, and the reason for which none can; null if a test should. */
interface Survivor {
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
}

/** A reason of the list: the changed text in a file, or in its function, and why the change makes no difference. */
interface Reason {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** The outcome of a run. */
interface MutationVerdict {
  /** The changes that a test noticed, in percent of those that could be noticed. */
  readonly score: number;
  readonly killed: number;
  /** The changes that make no difference, by the list of reasons. */
  readonly excused: number;
  /** The changes to values that are made when a module is loaded, which are not tried. */
  readonly ignored: number;
  readonly survivors: readonly Survivor[];
  /** Reasons for changes that are no survivors any more. */
  readonly stale: readonly Reason[];
}

/** Reads the list of reasons: files, each with its changes as `[from, to, why]`. */
export function readReasons(text: string): readonly Reason[] {
  const files: { readonly [file: string]: readonly (readonly [string, string, string])[] } =
    parse(text) ?? {};
  return Object.entries(files).flatMap(([file, rows]) =>
    rows.map(([from, to, why]) => ({ file, from, to, why })),
  );
}

/** Counts the changes that the tests noticed. A reason counts as stale only if its file was tried. */
export function judgeMutants(
  reports: readonly MutationReport[],
  reasons: readonly Reason[],
): MutationVerdict {
  const files = Object.entries(
    Object.assign({}, ...reports.map((report) => report.files)) as MutationReport['files'],
  );
  const count = (...statuses: readonly string[]) =>
    files.reduce(
      (sum, [, { mutants }]) => sum + mutants.filter(({ status }) => statuses.includes(status)).length,
      0,
    );
  const used = new Set<Reason>();
  const tried = new Set(files.map(([file]) => file));
  const survivors = files.flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map((mutant): Survivor => {
        const [from, to] = [shortened(textAt(source, mutant)), shortened(mutant.replacement ?? '')];
        const reason = reasons.find((one) => one.file === file && one.from === from && one.to === to);
        if (reason !== undefined) used.add(reason);
        return { file, line: mutant.location.start.line, from, to, reason: reason?.why ?? null };
      }),
  );
  const excused = survivors.filter(({ reason }) => reason !== null).length;
  const killed = count('Killed', 'Timeout');
  const possible = killed + survivors.length - excused;
  return {
    score: possible === 0 ? 100 : Math.floor((killed / possible) * 1_000) / 10,
    killed,
    excused,
    ignored: count('Ignored'),
    survivors,
    stale: reasons.filter((reason) => !used.has(reason) && tried.has(reason.file)),
  };
}

/** Writes a verdict for people. */
export function toText({ score, killed, excused, ignored, survivors, stale }: MutationVerdict): string {
  const open = survivors.filter(({ reason }) => reason === null);
  return [
    ...open.map(({ file, line, from, to }) => `${file}:${line}: ${from}  =>  ${to}`),
    ...stale.map(
      ({ file, from, to }) => `no survivor any more, remove its reason: ${file}: ${from}  =>  ${to}`,
    ),
    `${score} % killed: ${killed} of ${killed + open.length}; ${excused} survivors make no difference, ${ignored} changes were not tried.`,
  ].join('\n');
}

const LONGEST = 160;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}

function textAt(source: string, { location: { start, end } }: Mutant): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
    )
    .join('\n');
}
