/**
 * The number of audit records that a call must have: `maybe` for a call whose client left, or that ended while records
 * could not be written.
 */
export type Expected = 'one' | 'none' | 'maybe';

/** What must be recorded of each call, and what was. A call has two bytes, so that hours fit into memory. */
export interface Ledger {
  /** The id of the next call. */
  begin(): number;
  end(id: number, expected: Expected): void;
  /** Counts a record of a call. */
  record(id: number): void;
  /** Calls whose records are not as they must be, at most ten of each kind, with the number of all. */
  check(): Mismatches;
}

/** Ids of calls that have a wrong number of records. */
export interface Mismatches {
  readonly calls: number;
  readonly records: number;
  /** Calls that did not end. */
  readonly open: number;
  readonly wrong: number;
  readonly examples: readonly string[];
}

const CODES: Readonly<Record<Expected, number>> = { one: 1, none: 2, maybe: 3 };
const EXAMPLES = 10;

/** Creates a ledger without calls. */
export function createLedger(): Ledger {
  let expected = new Uint8Array(1024);
  let seen = new Uint8Array(1024);
  let last = 0;
  const grow = (): void => {
    const wider = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
      const copy = new Uint8Array(bytes.length * 2);
      copy.set(bytes);
      return copy;
    };
    expected = wider(expected);
    seen = wider(seen);
  };
  return {
    begin() {
      last += 1;
      if (last >= expected.length) grow();
      return last;
    },
    end(id, kind) {
      expected[id] = CODES[kind];
    },
    record(id) {
      if (id >= 1 && id <= last) seen[id] = Math.min(255, (seen[id] ?? 0) + 1);
      else throw new Error(`There is an audit record of call ${id}, which was never made.`);
    },
    check() {
      const examples: string[] = [];
      let records = 0;
      let open = 0;
      let wrong = 0;
      for (let id = 1; id <= last; id += 1) {
        const found = seen[id] ?? 0;
        records += found;
        if (expected[id] === 0) open += 1;
        else if (isRight(expected[id] ?? 0, found)) continue;
        wrong += 1;
        if (examples.length < EXAMPLES) examples.push(`call ${id}: ${found} records`);
      }
      return { calls: last, records, open, wrong, examples };
    },
  };
}

function isRight(code: number, found: number): boolean {
  if (code === CODES.one) return found === 1;
  return code === CODES.none ? found === 0 : found <= 1;
}
