import { styled, toColumns } from '../io/output.ts';
import { nodeValueAt, type YamlEdit } from './yaml-edit.ts';

/** A remark about the migration of one file. */
export type MigrationNote = {
  /** `lost`: not carried over. `check`: carried over with another meaning. `done`: carried over under another name. */
  readonly kind: 'lost' | 'check' | 'done';
  readonly file: string;
  /** Line in the old file; 0 means the whole file. */
  readonly line: number;
  readonly message: string;
};

/** A file rewritten for svc, with remarks. */
export interface Rewritten {
  readonly text: string;
  readonly notes: readonly MigrationNote[];
}

/** The file that is being rewritten, and the list that collects remarks about it. */
export interface Noting {
  readonly file: string;
  readonly notes: MigrationNote[];
  /** Whether svc demands a version in this file. */
  readonly required?: boolean;
}

/** Renames the key of the version: `mxcp: 1` becomes `svc: 1`. */
export function renameVersion(yaml: YamlEdit, { file, notes, required = false }: Noting): void {
  const written = nodeValueAt(yaml.value, ['mxcp']);
  if (written === undefined) {
    if (required) yaml.prepend('svc', 1);
    return;
  }
  yaml.renameKey(['mxcp'], 'svc');
  if (written === 1) return;
  yaml.setNumber(['mxcp'], 1);
  notes.push({
    kind: 'done',
    file,
    line: yaml.lineOf(['mxcp']),
    message: `\`mxcp: ${JSON.stringify(written)}\` became \`svc: 1\`.`,
  });
}

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
