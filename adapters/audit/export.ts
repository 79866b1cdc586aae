import { createWriteStream, existsSync, statSync } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type AuditFilter, type AuditLine, matches } from '../../src/audit/filter.ts';
import { RECORD_FIELDS } from '../../src/audit/record.ts';
import { SvcError } from '../../src/errors.ts';
import { quoteText } from '../../src/sql/quote.ts';
import { openScratch, type Scratch } from '../duckdb-native/files/scratch.ts';
import { whereLinksLead } from '../node/where-links-lead.ts';
import { linesOf } from './duckdb-source.ts';
import { filesOf } from './query.ts';
import { readLines } from './read-lines.ts';

const FIELDS = Object.keys(RECORD_FIELDS);

/**
 * Writes the matching records as CSV (RFC 4180), oldest file first; returns their number. A file is replaced when all
 * are written; a pipe or a device gets them and stays. Throws `file_unavailable`.
 */
export async function exportCsv(path: string, filter: AuditFilter, target: string): Promise<number> {
  let many = 0;
  async function* toCsv() {
    yield `${FIELDS.join(',')}\r\n`;
    for await (const rows of rowsOf(path, filter)) {
      many += rows.length;
      yield rows.join('');
    }
  }
  const place = await whereLinksLead(target).catch(() => target);
  const isPlain = statSync(place, { throwIfNoEntry: false })?.isFile() ?? true;
  const written = isPlain ? `${place}.${process.pid}.half` : place;
  try {
    await pipeline(toCsv, createWriteStream(written, { mode: 0o600 }));
    if (isPlain) await rename(written, place);
    return many;
  } catch (cause) {
    if (isPlain) await rm(written, { force: true }).catch(() => {});
    const message = (cause as Error).message.replaceAll(written, target);
    throw new SvcError('file_unavailable', `${target} cannot be written: ${message}.`, { cause });
  }
}

async function* rowsOf(path: string, filter: AuditFilter): AsyncGenerator<readonly string[]> {
  for (const file of await filesOf(path, filter)) {
    for await (const lines of readLines(file)) {
      yield lines.flatMap(({ record }) => (record && matches(record, filter) ? [toRow(record.fields)] : []));
    }
  }
}

function toRow(fields: AuditLine['fields']): string {
  return `${FIELDS.map((field) => toCell(fields[field])).join(',')}\r\n`;
}

/**
 * Spreadsheets take texts that begin like this as formulas, with wide characters too. Clients choose some of
 * the texts.
 */
const FORMULA = /^[=+@\t\r\n＝＋－＠-]/;

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Writes the matching records to the table `logs` of a DuckDB file, replacing an existing table; returns their
 * number. Throws `file_unavailable`, and then changes nothing.
 */
export async function exportDuckdb(path: string, filter: AuditFilter, target: string): Promise<number> {
  const files = await filesOf(path, filter);
  const scratch = await openScratch();
  const made = !existsSync(target);
  const write = async () => {
    await scratch.rows(`ATTACH ${quoteText(target)} AS target`);
    // Only the owner can read records, as in the file they come from.
    if (made) await chmod(target, 0o600);
    // An export that fails or is interrupted leaves the older table.
    await scratch.rows('BEGIN');
    const many = await copyLogs(scratch, files, filter);
    await scratch.rows('COMMIT');
    return many;
  };
  try {
    return await write().finally(() => scratch.close());
  } catch (cause) {
    if (made) await rm(target, { force: true }).catch(() => {});
    const { message } = cause as Error;
    throw new SvcError('file_unavailable', `The records cannot be written to ${target}: ${message}`, {
      cause,
    });
  }
}

async function copyLogs(scratch: Scratch, files: readonly string[], filter: AuditFilter): Promise<number> {
  const typed = Object.entries(RECORD_FIELDS);
  const columns = typed.map(([field, type]) => `"${field}" ${type}`);
  await scratch.rows(`CREATE OR REPLACE TABLE target.logs (${columns.join(', ')})`);
  if (files.length === 0) return 0;
  const { with: lines, values } = linesOf(
    files,
    filter,
    Object.fromEntries(typed.map(([field, type]) => [field, isJson(type) ? 'JSON' : 'VARCHAR'])),
  );
  const cast = typed.map(([field, type]) => `TRY_CAST("${field}" AS ${type})`);
  const [row] = await scratch.rows(
    `INSERT INTO target.logs ${lines} SELECT ${cast.join(', ')} FROM line WHERE wanted`,
    values,
  );
  return Number(row?.[0]);
}

/** Values that may have any shape are read as JSON: one result is a list, the next a number. */
function isJson(type: string): boolean {
  return type === 'JSON' || type === 'VARCHAR[]';
}
