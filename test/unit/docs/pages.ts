import { readdirSync, readFileSync } from 'node:fs';

/** A page that people read. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Block {
  /** `page:line`, for the title of a test. */
  readonly at: string;
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const TOP = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

/** Every page of the repository. */
export function readPages(): readonly Page[] {
  const below = ['docs', 'examples'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
      .map((file) => `${folder}/${file}`),
  );
  return [...TOP, ...below].toSorted().map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** The fenced blocks of a page. */
export function blocksOf({ path, text }: Page): readonly Block[] {
  const fences = text.matchAll(/^( *)```(\w*)\n([\s\S]*?)\n?^ *```$/gm);
  return Array.from(fences, ({ 1: indent = '', 2: language = '', 3: body = '', index }) => ({
    at: `${path}:${text.slice(0, index).split('\n').length}`,
    page: path,
    language,
    text: dedent(body, indent.length),
  }));
}

/** A page without its code. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/^ {4}.*$/gm, '');
}

function dedent(text: string, least: number): string {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const common = Math.max(least, Math.min(...indents, 99));
  return lines.map((line) => line.slice(Math.min(common, Math.max(line.search(/\S|$/), 0)))).join('\n');
}
