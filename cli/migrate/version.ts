import type { MigrationNote } from './note.ts';
import { nodeValueAt, type YamlEdit } from './yaml-edit.ts';

/** Where notes about a file go. */
export interface Noting {
  readonly file: string;
  readonly notes: MigrationNote[];
  /** Whether our file must have a version. */
  readonly required?: boolean;
}

/** `mxcp: 1`, in whatever form, as `svc: 1`. */
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
