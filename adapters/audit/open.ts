import { resolve } from 'node:path';
import { type Audit, createAudit } from '../../src/audit/observe.ts';
import type { AuditSink, Log } from '../../src/ports.ts';
import type { AuditSettings } from '../../src/project/site-model.ts';
import { deleteOlder } from './cleanup.ts';
import { FileSink } from './file-sink.ts';

/** A day, in milliseconds. */
export const DAY = 86_400_000;

/** What records the calls of a process; `sink` is closed at its end. */
export interface OpenAudit {
  readonly parts: Audit;
  readonly sink: AuditSink;
}

/** Starts recording as the profile has it; null where it does not ask for it. Relative paths begin at the root. */
export async function openAudit(settings: AuditSettings, root: string, log: Log): Promise<OpenAudit | null> {
  if (!settings.enabled) return null;
  const { maxFileSize, retentionDays, onError } = settings;
  const path = resolve(root, settings.path);
  // Records can be deleted by whole files only: with a retention no file may hold more than a day of them.
  const limits = { maxBytes: maxFileSize, maxAgeMs: retentionDays === null ? Number.POSITIVE_INFINITY : DAY };
  const tidy = () => {
    if (retentionDays !== null) void forget(path, retentionDays, log);
  };
  const sink = new FileSink({ path, limits, onError, log, onRotated: tidy });
  await sink.open();
  tidy();
  return { sink, parts: createAudit(sink, settings) };
}

async function forget(path: string, days: number, log: Log): Promise<void> {
  try {
    const deleted = await deleteOlder(path, Date.now() - days * DAY);
    for (const file of deleted)
      log({ level: 'info', message: `deleted ${file.path}, older than ${days} days` });
  } catch (thrown) {
    const message = `old audit files cannot be deleted: ${(thrown as Error).message}`;
    log({ level: 'warn', message });
  }
}
