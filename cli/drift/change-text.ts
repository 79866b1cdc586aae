import type { JsonValue } from '../../src/json.ts';
import {
  CHANGE_CLASSES,
  type ChangeSummary,
  type DriftChange,
  summarizeChanges,
} from '../../src/quality/drift/change.ts';
import { toLineDiff } from '../../src/quality/drift/lines.ts';
import { count, styled, toColumns } from '../io/output.ts';

const STYLES = { breaking: 'error', widening: 'warning', wording: 'info' } as const;
const WIDEST = 400;

/** Formats changes for people: class, place and meaning, with the difference below. */
export function toChangeLines(changes: readonly DriftChange[]): string {
  return toColumns(
    changes.flatMap((change) => {
      const { class: name, subject, path, message } = change;
      const place = styled('strong', path === '' ? subject : `${subject}: ${path}`);
      const below = [...toDifference(change), styled('dim', message)];
      return [[styled(STYLES[name], name), place], ...below.map((line) => ['', line])];
    }),
  );
}

/** Formats a sum, e.g. `3 changes: 1 breaking, 2 widening`. */
export function toSummaryText(summary: ChangeSummary): string {
  const parts = CHANGE_CLASSES.filter((name) => summary[name] > 0).map((name) => `${summary[name]} ${name}`);
  const many = CHANGE_CLASSES.reduce((sum, name) => sum + summary[name], 0);
  return `${count(many, 'change')}: ${parts.join(', ')}`;
}

/** The changes in the form of `--json`. */
export function toChangesDocument(changes: readonly DriftChange[]) {
  return { summary: summarizeChanges(changes), changes: changes.map((change) => ({ ...change })) };
}

/** Formats old and new value: on one line, or line by line if they are code. */
function toDifference({ old, new: now }: DriftChange): readonly string[] {
  if (typeof old === 'string' && typeof now === 'string' && /\n/.test(old + now)) {
    return toLineDiff(old, now).map(coloured);
  }
  if (old === undefined) return [styled('ok', `+ ${toText(now)}`)];
  if (now === undefined) return [styled('error', `- ${toText(old)}`)];
  return [`${toText(old)} -> ${toText(now)}`];
}

/** Formats old and new value on one line. */
export function toValueText({ old, new: now }: DriftChange): string {
  if (old === undefined) return `new: ${toText(now)}`;
  return now === undefined ? `gone: ${toText(old)}` : `${toText(old)} -> ${toText(now)}`;
}

function coloured(line: string): string {
  if (line.startsWith('+')) return styled('ok', line);
  return line.startsWith('-') ? styled('error', line) : styled('dim', line);
}

function toText(value: JsonValue | undefined): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value ?? null);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}
