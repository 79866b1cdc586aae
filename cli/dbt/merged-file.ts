import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Document, parseDocument } from 'yaml';
import { SvcError } from '../../src/errors.ts';
import { writeWhole } from '../io/write-files.ts';
import { type DbtChange, mergeInto, type Wanted } from './yaml-merge.ts';

/** A file of dbt after the merge, and the changes in it. */
export interface MergedFile {
  readonly path: string;
  readonly action: 'create' | 'update' | 'none';
  readonly changes: readonly DbtChange[];
  readonly text: string;
}

/** Merges required values into a file or a new one. Writes nothing. */
export async function mergeFile(
  path: string,
  wanted: (fresh: boolean) => readonly Wanted[],
  head: string,
): Promise<MergedFile> {
  const fresh = !existsSync(path);
  const before = fresh ? '' : await readFile(path, 'utf8');
  const doc = parse(path, before);
  if (doc.contents === null) begin(doc, head);
  const changes = mergeInto(doc, wanted(fresh));
  const action = fresh ? 'create' : changes.length === 0 ? 'none' : 'update';
  return { path, action, changes, text: action === 'none' ? before : toText(doc, before) };
}

/** Writes merged files, each in one step, so that readers never see half a file. */
export async function writeMerged(files: readonly MergedFile[]): Promise<void> {
  for (const { path, action, text } of files) if (action !== 'none') await writeWhole(path, text);
}

function parse(path: string, text: string): Document {
  const doc = parseDocument(text);
  const [problem] = doc.errors;
  if (problem === undefined && (doc.contents === null || 'items' in doc.contents)) return doc;
  const where = problem?.linePos?.[0].line;
  throw new SvcError(
    'config_invalid',
    `${where === undefined ? path : `${path}:${where}`} is not YAML that can be merged: ${problem?.code ?? 'it is not a map'}.
Correct the file, or move it away. Nothing was changed.`,
  );
}

/** Starts the data of an empty file; its comments come first. */
function begin(doc: Document, head: string): void {
  doc.commentBefore = doc.comment ?? doc.commentBefore ?? ` ${head}`;
  doc.comment = null;
  doc.contents = doc.createNode({});
}

/** Writes in the style of the file: its line ends and its lists. */
function toText(doc: Document, before: string): string {
  const flat = /^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(before);
  const padded = /^[^'"#\n]*\[ \S/m.test(before);
  const text = doc.toString({ lineWidth: 0, indentSeq: !flat, flowCollectionPadding: padded });
  return before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}
