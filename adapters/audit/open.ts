import { type Audit, createAudit } from '../../src/audit/observe.ts';
import type { AuditSink, Log } from '../../src/ports.ts';
import type { AuditSettings } from '../../src/project/site-model.ts';
import type { Conceal } from '../../src/redaction/redact.ts';
import { absolutePath } from '../node/absolute-path.ts';
import { deleteOlder } from './audit-files.ts';
import { FileSink } from './file-sink.ts';

/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** The recording of a process. Close `sink` when the process ends. */
export interface OpenAudit {
  readonly parts: Audit;
  readonly sink: AuditSink;
}

/**
 * Starts recording as the profile says; null if audit is off. Relative paths begin at `root`. Throws
 * `audit_unavailable` if the file cannot be written and `audit.on_error` is block. `conceal` removes the profile's secrets.
 */
export async function openAudit(
  settings: AuditSettings,
  root: string,
  log: Log,
  conceal?: Conceal,
): Promise<OpenAudit | null> {
  if (!settings.enabled) return null;
  const { maxFileSize, retentionDays, onError } = settings;
  const path = absolutePath(root, settings.path);
  // Only whole files can be deleted, so with a retention time no file may hold more than one day.
  const limits = { maxBytes: maxFileSize, maxAgeMs: retentionDays === null ? Number.POSITIVE_INFINITY : DAY };
  const tidy = () => {
    if (retentionDays !== null) void forget(path, retentionDays, log);
  };
  const sink = new FileSink({ path, limits, onError, log, onRotated: tidy });
  await sink.open();
  tidy();
  return { sink, parts: createAudit(sink, { ...settings, ...(conceal && { conceal }) }) };
}

async function forget(path: string, days: number, log: Log): Promise<void> {
  try {
    const deleted = await deleteOlder(path, Date.now() - days * DAY);
    for (const file of deleted)
      log({ level: 'info', message: `deleted ${file.path}: older than ${days} days` });
  } catch (thrown) {
    const message = `old audit files cannot be deleted: ${(thrown as Error).message}`;
    log({ level: 'warn', message });
  }
}
