import type { SqlResult } from '../../ports.ts';

/** A connection with one prepared statement, used by one call at a time. */
export interface Lane {
  close(): void;
}

/** The right to use lanes of a statement, since definitions changed last. */
export interface LaneEntry<Kept extends Lane> {
  /** A lane that was idle; null if the caller must open one. */
  readonly lane: Kept | null;
  readonly generation: number;
}

/**
 * Whether a bare query named its columns otherwise than the statement does elsewhere (`isSameBare`). Until it runs, DuckDB may
 * not tell: it learns the types of some parameters, and so the columns, from their values.
 */
export function hasOtherNames({ repeated }: SqlResult): boolean {
  return repeated !== undefined;
}

/** The most statements that are remembered as proven; the one proven first is forgotten first. */
const MOST_PROVEN = 1_000;

/** No statement has so many parameters. */
const NEVER = -1;

/**
 * The setup of a lane: a statement that sets the seed of random numbers through a view or a macro is not planned here,
 * because no call of `setseed` fits this macro. Otherwise the next call would draw the same numbers.
 */
export const WITHOUT_SEEDS = 'CREATE TEMP MACRO setseed(needs, another_connection) AS needs';

/**
 * The idle lanes of an engine. A statement gets lanes after a call proved on a connection of its own that it runs. Each
 * lane serves one statement, so no statement meets anything that another one left. If too many lanes are idle, the one
 * used longest ago is closed.
 */
export class Lanes<Kept extends Lane> {
  readonly #most: number;
  /** The number of parameters of each proven statement, and `NEVER` for each disproved one. */
  readonly #proven = new Map<string, number>();
  /** Those used longest ago come first. */
  #idle: { readonly sql: string; readonly lane: Kept }[] = [];
  #changing = 0;
  #generation = 0;

  /** Creates lanes of which at most so many are idle. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Changes whenever definitions change. A proof or a lane from before counts no more. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether work that changes definitions is running. */
  get changing(): boolean {
    return this.#changing > 0;
  }

  /** The number of lanes that wait for a call. */
  get idle(): number {
    return this.#idle.length;
  }

  /** Remembers that a statement ran with so many parameters. */
  prove(sql: string, parameters: number, generation: number): void {
    if (!this.#isCurrent(generation) || this.#proven.get(sql) === NEVER) return;
    const [first] = this.#proven.keys();
    if (first !== undefined && this.#proven.size >= MOST_PROVEN) this.#proven.delete(first);
    this.#proven.set(sql, parameters);
  }

  /** Withdraws a proof: until definitions change, the statement needs a connection of its own. */
  disprove(sql: string): void {
    this.#proven.set(sql, NEVER);
    this.#closeIdle((idle) => idle.sql === sql);
  }

  /** Returns null unless the statement is proven with so many parameters. */
  enter(sql: string, parameters: number): LaneEntry<Kept> | null {
    if (this.#changing > 0 || this.#proven.get(sql) !== parameters) return null;
    const at = this.#idle.findLastIndex((idle) => idle.sql === sql);
    const [found] = at < 0 ? [] : this.#idle.splice(at, 1);
    return { lane: found?.lane ?? null, generation: this.#generation };
  }

  /** Keeps a lane for the next call, unless definitions have changed since its call entered. */
  leave(sql: string, lane: Kept, generation: number): void {
    if (!this.#isCurrent(generation)) {
      lane.close();
      return;
    }
    this.#idle.push({ sql, lane });
    if (this.#idle.length > this.#most) this.#idle.shift()?.lane.close();
  }

  /** Runs work that changes definitions. Nothing is kept across it. */
  async change<T>(work: () => Promise<T>): Promise<T> {
    this.#changing += 1;
    this.clear();
    try {
      return await work();
    } finally {
      this.#changing -= 1;
      this.clear();
    }
  }

  /** Closes idle lanes, and forgets every proof. */
  clear(): void {
    this.#generation += 1;
    this.#proven.clear();
    this.#closeIdle(() => true);
  }

  #isCurrent(generation: number): boolean {
    return this.#changing === 0 && generation === this.#generation;
  }

  #closeIdle(which: (idle: { readonly sql: string }) => boolean): void {
    const closed = this.#idle.filter(which);
    this.#idle = this.#idle.filter((idle) => !which(idle));
    for (const { lane } of closed) lane.close();
  }
}
