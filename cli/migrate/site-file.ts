import { type MigrationNote, type Rewritten, renameVersion } from './rewrite.ts';
import { editYaml, keysAt, nodeValueAt, type YamlEdit } from './yaml-edit.ts';

/** Rewrites the site file. A file that is not YAML stays unchanged. */
export function rewriteSite(text: string, file: string): Rewritten {
  const yaml = editYaml(text);
  if (yaml === null) return { text, notes: [] };
  const notes: MigrationNote[] = [];
  renameVersion(yaml, { file, required: true, notes });
  for (const profile of keysAt(yaml.value, ['profiles'])) {
    const path = ['profiles', profile, 'duckdb'];
    if (nodeValueAt(yaml.value, path) === undefined) continue;
    noteReadonly(yaml, [...path, 'readonly'], { file, notes });
    yaml.renameKey(path, 'database');
  }
  return { text: yaml.toString(), notes };
}

function noteReadonly(
  yaml: YamlEdit,
  path: readonly (string | number)[],
  { file, notes }: { readonly file: string; readonly notes: MigrationNote[] },
): void {
  if (nodeValueAt(yaml.value, path) !== true) return;
  notes.push({
    kind: 'check',
    file,
    line: yaml.lineOf(path),
    message: 'svc enforces `readonly: true`: SQL that writes is refused.',
  });
}
