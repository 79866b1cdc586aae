import { toColumns } from '../io/columns.ts';
import { styled } from '../io/output.ts';
import type { MigrationNote } from './rewrite.ts';

const COLOURS = { lost: 'error', check: 'warning', done: 'info' } as const;

/** The remarks of a conversion, one on each line: its place, its kind, its text. */
export function toNotesText(notes: readonly MigrationNote[]): string {
  return toColumns(
    notes.map(({ kind, file, line, message }) => [
      line === 0 ? file : `${file}:${line}`,
      styled(COLOURS[kind], kind),
      message,
    ]),
  );
}
