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
export function toChangeLines(
  changes: readonly DriftChange[],
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return toColumns(
    changes.flatMap((change) => {
      const { class: name, subject, path, message } = change;
      const place = styled('strong', path === '' ? subject : `${subject}: ${path}`, stream);
      const below = [...toDifference(change, stream), styled('dim', message, stream)];
      return [[styled(STYLES[name], name, stream), place], ...below.map((line) => ['', line])];
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
function toDifference({ old, new: now }: DriftChange, stream: NodeJS.WriteStream): readonly string[] {
  if (typeof old === 'string' && typeof now === 'string' && /\n/.test(old + now)) {
    return toLineDiff(old, now).map((line) => coloured(line, stream));
  }
  if (old === undefined) return [styled('ok', `+ ${toText(now)}`, stream)];
  if (now === undefined) return [styled('error', `- ${toText(old)}`, stream)];
  return [`${toText(old)} -> ${toText(now)}`];
}

/** Formats old and new value on one line. */
export function toValueText({ old, new: now }: DriftChange): string {
  if (old === undefined) return `new: ${toText(now)}`;
  return now === undefined ? `gone: ${toText(old)}` : `${toText(old)} -> ${toText(now)}`;
}

function coloured(line: string, stream: NodeJS.WriteStream): string {
  if (line.startsWith('+')) return styled('ok', line, stream);
  return line.startsWith('-') ? styled('error', line, stream) : styled('dim', line, stream);
}

function toText(value: JsonValue | undefined): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value ?? null);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}
