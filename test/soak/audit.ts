import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { listAuditFiles } from '../../adapters/audit/audit-files.ts';
import { idOf } from './calls.ts';
import type { Ledger } from './ledger.ts';

/** The audit records of one server, read while they are written. */
export interface Watch {
  /** Reads the files that are full, and deletes them: hours of records fill a disk. */
  sweep(): Promise<void>;
  /** Reads all that is left, after the server has ended. */
  finish(): Promise<void>;
  /** The records of each tool. */
  readonly tools: ReadonlyMap<string, number>;
}

interface AuditLine {
  readonly operation_name: string;
  readonly input_data: { readonly id?: number; readonly sql?: string } | null;
}

/** The name of the file that a server writes. */
export const AUDIT_FILE = 'log.jsonl';

/** Watches the audit files of a folder. */
export function watch(folder: string, ledger: Ledger): Watch {
  const tools = new Map<string, number>();
  const path = join(folder, AUDIT_FILE);
  const take = (file: string): void => {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line === '') continue;
      const { operation_name: name, input_data: input }: AuditLine = JSON.parse(line);
      tools.set(name, (tools.get(name) ?? 0) + 1);
      ledger.record(idOf(input ?? {}));
    }
  };
  const takeFull = async (): Promise<void> => {
    for (const { path: full, closedAt } of await listAuditFiles(path)) {
      if (closedAt === null) continue;
      take(full);
      rmSync(full);
    }
  };
  return {
    tools,
    sweep: takeFull,
    async finish() {
      await takeFull();
      if (readdirSync(folder).includes(AUDIT_FILE)) take(path);
    },
  };
}
