import type { CallFigure, Ran } from './call.ts';
import type { Figures } from './figures.ts';
import type { Homonym } from './names.ts';

/** The lists that are printed in full. */
interface Details {
  readonly names: boolean;
  readonly comments: boolean;
  readonly call: boolean;
}

const METHOD =
  "Read with TypeScript's scanner, declarations and imports by patterns; each figure is defined in scripts/shape/.";

/** The figures as lines for people, one figure a line, with the lists that were chosen below. */
export function toReport(figures: Figures, call: CallFigure, details: Details): string {
  const { median, p90, max } = figures.linesPerFile;
  const share = (100 * figures.riddles.length) / Math.max(figures.docComments, 1);
  const rows: readonly (readonly [string, string])[] = [
    ['files', `${figures.files}`],
    ['lines', `${figures.lines} (${figures.codeLines} of code: not blank, not comment)`],
    ['lines a file', `median ${median}, p90 ${p90}, max ${max}`],
    ['largest folders', figures.largestFolders.map(({ folder, files }) => `${folder} ${files}`).join(', ')],
    ['type names with several meanings', `${figures.sharedTypes.length} (exported by more than one file)`],
    ['function names likewise', `${figures.sharedFunctions.length}`],
    ['relative imports per 100 code lines', figures.importsPer100Lines.toFixed(1)],
    ['longest import chain', `${figures.longestChain.length} files (types too; a circle counts once)`],
    ['value cycles', `${figures.valueCycles.length}`],
    [
      'riddles among doc comments',
      `${figures.riddles.length} of ${figures.docComments}, ${share.toFixed(1)} %`,
    ],
    ['one warm tools/call runs', toCallSummary(call)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, value]) => name.padEnd(width) + value);
  const cycles = figures.valueCycles.map((cycle) => `cycle: ${cycle.join(', ')}`);
  return [...lines, ...cycles, METHOD, ...toLists(figures, call, details)].join('\n');
}

function toCallSummary(call: CallFigure): string {
  if ('unmeasured' in call) return `not measured: ${call.unmeasured}`;
  return `${groupByFile(call.ran).length} files, ${call.ran.length} functions (Node, HTTP, main thread; worker threads left out)`;
}

function toLists(figures: Figures, call: CallFigure, details: Details): readonly string[] {
  const { sharedTypes, sharedFunctions, riddles } = figures;
  return [
    ...(details.names
      ? ['', 'Types', ...toNames(sharedTypes), '', 'Functions', ...toNames(sharedFunctions)]
      : []),
    ...(details.comments ? ['', ...riddles.map(({ path, line, text }) => `${path}:${line}: ${text}`)] : []),
    ...(details.call && 'ran' in call ? ['', ...groupByFile(call.ran)] : []),
  ];
}

function toNames(homonyms: readonly Homonym[]): readonly string[] {
  return homonyms.map(({ name, files }) => `  ${name}: ${files.join(', ')}`);
}

function groupByFile(ran: readonly Ran[]): readonly string[] {
  const files = Map.groupBy(ran, ({ file }) => file);
  return [...files].map(
    ([file, inside]) => `${file}: ${inside.map(({ name }) => name || '(anonymous)').join(', ')}`,
  );
}
