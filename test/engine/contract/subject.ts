import type { Database } from '../../../src/ports.ts';
import type { Fixture } from '../fixture.ts';
import type { EngineName } from '../types.ts';

/** Opens a database file read-only. */
export type Open = (file: string, options?: { readonly memoryMb?: number }) => Promise<Database>;

/** The engine that is tested; its database and files are there once the tests run. */
export interface Subject {
  readonly engine: EngineName;
  readonly open: Open;
  readonly database: Database;
  readonly fixture: Fixture;
}
