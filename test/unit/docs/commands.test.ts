import { describe, expect, it } from 'vitest';
import { createProgram, toUsageError } from '../../../cli/program.ts';
import { COMMANDS } from '../../../cli/table.ts';
import { blocksOf, type Page, readPages } from './pages.ts';

const pages = readPages();

describe('what pages tell to type', () => {
  it.each(pages.map((page) => [page.path, page] as const))('in %s is understood', async (_path, page) => {
    const refused = await Promise.all(shellLines(page).flatMap(callsOf).map(complaint));
    expect(refused.filter((text) => text !== null)).toEqual([]);
  });

  it.each(pages.map((page) => [page.path, page] as const))('in the text of %s exists', (_path, page) => {
    const told = Array.from(page.text.matchAll(/`(?:npx )?svc ([a-z][^`]*)`/g), ([, call = '']) => call);
    expect(told.flatMap(unknownIn)).toEqual([]);
  });

  it('is seen, and what is wrong too', async () => {
    const calls = pages.flatMap(shellLines).flatMap(callsOf);
    expect(calls.length).toBeGreaterThan(50);
    expect(callsOf('cd x && npx svc serve --nope  # tries')).toEqual([['serve', '--nope']]);
    expect(await complaint(['serve', '--nope'])).toContain('--nope');
    expect([unknownIn('nope'), unknownIn('serve --nope=1')]).toEqual([['svc nope'], ['svc serve --nope']]);
  });
});

/** Lines of a shell, continued ones joined and comments away. */
function shellLines(page: Page): readonly string[] {
  const fenced = blocksOf(page).filter(({ language }) => ['sh', 'bash', 'console'].includes(language));
  const indented = Array.from(page.text.matchAll(/^ {4}((?:npx )?svc .*)$/gm), ([, line = '']) => line);
  const texts = [...fenced.map(({ text }) => text), ...indented];
  return texts
    .flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/^\$ /, ''));
}

/** Each call of svc in a line, as its words. */
function callsOf(line: string): readonly (readonly string[])[] {
  const words = wordsOf(line);
  const ends = words.flatMap((word, index) => (/^(&&|\|\||\||;|>)$/.test(word) ? [index] : []));
  const parts = [...ends, words.length].map((end, at) => words.slice((ends[at - 1] ?? -1) + 1, end));
  return parts.flatMap((part) => {
    const own = part[0] === 'npx' ? part.slice(1) : part.filter((word) => !/^[A-Z_]+=/.test(word));
    return own[0] === 'svc' && !own.some((word) => /^<.+>$|^\[/.test(word)) ? [own.slice(1)] : [];
  });
}

function wordsOf(line: string): readonly string[] {
  const words = line.replace(/\s#\s.*$/, '').matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g);
  return Array.from(words, ([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

async function complaint(argv: readonly string[]): Promise<string | null> {
  // a folder of its own would be gone into
  if (argv[0] === '-C' || argv[0] === '--version') return null;
  try {
    await createProgram(COMMANDS, async () => {}, argv).parseAsync([...argv], { from: 'user' });
    return null;
  } catch (thrown) {
    return `svc ${argv.join(' ')}: ${toUsageError(thrown)?.message ?? thrown}`;
  }
}

/** Commands and options in running text that there are not. */
function unknownIn(call: string): readonly string[] {
  const [name = '', ...words] = call.split(/\s+/);
  const command = COMMANDS.find(({ usage }) => usage.split(' ')[0] === name);
  if (command === undefined) return [`svc ${name}`];
  const known = ['--help', '--debug', ...command.options.map(({ flags }) => flags.split(' ')[0] ?? '')];
  if (command.passesOn) return [];
  const flags = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/[=,].*$/, ''));
  return flags.filter((flag) => !known.includes(flag)).map((flag) => `svc ${name} ${flag}`);
}
