import { isObject, type JsonValue } from '../../src/json.ts';
import { type MigrationNote, type Noting, type Rewritten, renameVersion } from './rewrite.ts';
import { editYaml, keysAt, nodeValueAt, type YamlEdit, type YamlPath } from './yaml-edit.ts';

const KINDS = ['tool', 'resource', 'prompt'] as const;

/**
 * Rewrites an endpoint file; null if it is no endpoint. A file that is not YAML stays unchanged, for its author to
 * repair.
 */
export function rewriteEndpoint(text: string, file: string): Rewritten | null {
  const yaml = editYaml(text);
  if (yaml === null) return { text, notes: [] };
  const kind = KINDS.find((name) => nodeValueAt(yaml.value, [name]) !== undefined);
  if (kind === undefined) return null;
  const noting: Noting = { file, notes: [] };
  renameVersion(yaml, noting);
  for (const side of ['input', 'output'] as const) rewriteRules(yaml, [kind, 'policies', side], noting);
  for (const index of keysAt(yaml.value, [kind, 'tests'])) rewriteTest(yaml, [kind, 'tests', index], noting);
  return { text: yaml.toString(), notes: noting.notes };
}

/** Removes rules that had no effect in MXCP. Warns of a rule that had no effect by mistake and has one here. */
function rewriteRules(yaml: YamlEdit, path: YamlPath, { file, notes }: Noting): void {
  const returns = nodeValueAt(yaml.value, [path[0] ?? '', 'return']) ?? null;
  for (const index of keysAt(yaml.value, path)) {
    const rule = nodeValueAt(yaml.value, [...path, index]) ?? null;
    const at = { file, line: yaml.lineOf([...path, index]) };
    const why = uselessness(rule, path.at(-1) === 'input', returns);
    if (why !== null) {
      const gone = yaml.remove([...path, index]);
      notes.push(toRemovalNote(gone, at, { what: 'A rule', why }));
    } else if (isObject(rule) && rule.action === 'filter_sensitive_fields') {
      notes.push({
        kind: 'check',
        ...at,
        message: '`filter_sensitive_fields` did nothing in MXCP. It works in svc.',
      });
    }
  }
}

const FIELD_ACTIONS: readonly JsonValue[] = ['filter_fields', 'mask_fields', 'filter_sensitive_fields'];

/** MXCP does not load an endpoint with any other action or form of `fields`, so such a rule stays an error here. */
function uselessness(rule: JsonValue, input: boolean, returns: JsonValue): string | null {
  if (!isObject(rule)) return null;
  const { action = null, fields = null } = rule;
  if (!FIELD_ACTIONS.includes(action)) return null;
  if (input) return `\`${action}\` has no effect on input`;
  if (action === 'filter_sensitive_fields') {
    return hasSensitive(returns) ? null : 'it needs a `return` with sensitive fields';
  }
  const none = fields === null || (Array.isArray(fields) && fields.length === 0);
  return none ? `\`${action}\` names no fields, and had no effect` : null;
}

function hasSensitive(type: JsonValue): boolean {
  return isObject(type) && (type.sensitive === true || Object.values(type).some(hasSensitive));
}

/** Removes `result: null`: it asserted nothing in MXCP, and asserts null here. */
function rewriteTest(yaml: YamlEdit, path: YamlPath, { file, notes }: Noting): void {
  const test = nodeValueAt(yaml.value, path);
  if (!isObject(test ?? null) || nodeValueAt(yaml.value, [...path, 'result']) !== null) return;
  const at = { file, line: yaml.lineOf([...path, 'result']) };
  const gone = yaml.remove([...path, 'result']);
  notes.push(toRemovalNote(gone, at, { what: '`result: null`', why: 'it asserted nothing in MXCP' }));
}

interface Removal {
  readonly what: string;
  readonly why: string;
}

function toRemovalNote(
  gone: boolean,
  at: Pick<MigrationNote, 'file' | 'line'>,
  { what, why }: Removal,
): MigrationNote {
  if (gone) return { kind: 'lost', ...at, message: `${what} was left out: ${why}.` };
  const message = `${what} must be removed by hand, because the file has aliases: ${why}.`;
  return { kind: 'check', ...at, message };
}

/** Rewrites a suite of evaluations; null if the file is not a suite. */
export function rewriteSuite(text: string, file: string): Rewritten | null {
  const yaml = editYaml(text);
  if (yaml === null) return { text, notes: [] };
  if (nodeValueAt(yaml.value, ['mxcp']) === undefined) return null;
  const noting: Noting = { file, notes: [] };
  renameVersion(yaml, noting);
  return { text: yaml.toString(), notes: noting.notes };
}
