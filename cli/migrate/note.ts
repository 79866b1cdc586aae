/** One thing that a person should know about a migration. */
export type MigrationNote = {
  /** `lost`: not carried over; `check`: carried over, and means something else now; `done`: carried over by another name. */
  readonly kind: 'lost' | 'check' | 'done';
  readonly file: string;
  /** Of the source; 0: the whole file. */
  readonly line: number;
  readonly message: string;
};
