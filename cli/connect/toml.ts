import { parse, stringify, TomlError } from 'smol-toml';
import type { Tree } from './clients.ts';
import { refusal } from './json.ts';

/** A client's TOML file; throws config_invalid. */
export function readToml(file: string, text: string): Tree {
  try {
    return plain(parse(text));
  } catch (thrown) {
    const line = thrown instanceof TomlError ? `:${thrown.line}` : '';
    const [reason = ''] = thrown instanceof Error ? thrown.message.split('\n') : [];
    throw refusal(`${file}${line}`, reason);
  }
}

/** Its tables have no prototype. */
function plain(value: unknown): Tree {
  return structuredClone(value) as Tree;
}

/** The text with one table replaced, or put behind everything; whoever calls this compares what came out. */
export function writeToml(text: string, path: readonly string[], value: Tree): string {
  const [key = '', name = ''] = path;
  const table = stringify({ [key]: { [name]: value } }).trim();
  const kept = withoutTable(text, path);
  const gap = kept.trim() === '' ? '' : `${kept.trimEnd()}\n\n`;
  return `${gap}${table}\n`;
}

/** Without the table and those below it. */
function withoutTable(text: string, path: readonly string[]): string {
  const lines = text.split('\n');
  const header = new RegExp(`^\\s*\\[\\s*${path.map(keyPattern).join('\\s*\\.\\s*')}\\s*(\\.[^\\]]*)?\\]`);
  let inside = false;
  const kept = lines.filter((line) => {
    if (/^\s*\[/.test(line) && !/^\s*\[["'\d\s]*[,\]"']/.test(line)) inside = header.test(line);
    return !inside;
  });
  return kept.join('\n');
}

function keyPattern(key: string): string {
  return `(?:${key}|"${key}"|'${key}')`;
}
