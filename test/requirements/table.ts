import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** One thing that is asked of us, in our words, and the tests that hold us to it. */
export interface Requirement {
  readonly id: string;
  readonly says: string;
  /** `<file below test/> > <title of a test, or part of it>`. */
  readonly tests?: readonly string[];
  /** What is missing, where no test can be cited yet. */
  readonly open?: string;
}

/** A section of the specification, with the number of rows that it has. */
export interface Section {
  readonly section: string;
  readonly count: number;
  readonly rows: readonly Requirement[];
}

/** The table: `spec-*.yml` for the service's own specification, `mcp-*.yml` for the protocol's. */
export function readTable(): readonly Section[] {
  const files = readdirSync('test/requirements').filter((file) => file.endsWith('.yml'));
  return files.toSorted().flatMap((file): readonly Section[] => {
    return parse(readFileSync(`test/requirements/${file}`, 'utf8')).sections;
  });
}

/** What is wrong with the tests that a row cites; empty where each file has a test of that title. */
export function brokenCitations({ id, tests = [] }: Requirement): readonly string[] {
  return tests.flatMap((citation) => {
    const [, file = '', title = ''] = /^(\S+\.ts) > (.+)$/.exec(citation) ?? [];
    const path = `test/${file}`;
    if (title === '') return [`${id}: ${citation} is not "<file> > <title>"`];
    if (!existsSync(path)) return [`${id}: there is no ${path}`];
    return isTitle(title, titlesOf(path)) ? [] : [`${id}: no test of ${path} is called "${title}"`];
  });
}

const LEAST = 15;

/** A short one is a whole title: parts of that length are in many. */
function isTitle(title: string, titles: readonly string[]): boolean {
  return titles.includes(title) || (title.length >= LEAST && titles.some((one) => one.includes(title)));
}

const read = new Map<string, readonly string[]>();

/** Every title, and every text of a table of tests, which is where the titles of `each` come from. */
function titlesOf(path: string): readonly string[] {
  const known = read.get(path);
  if (known !== undefined) return known;
  const texts = readFileSync(path, 'utf8').matchAll(TEXT);
  const titles = Array.from(texts, ([text]) => text.slice(1, -1).replaceAll("\\'", "'"));
  read.set(path, titles);
  return titles;
}

/** A text on one line, in quotes of any kind. */
const TEXT = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\\n])*`/g;
