import type { Lane, Lanes } from '../../../src/sql/lanes/lanes.ts';

/**
 * Something that follows from the definitions of a database, such as the names of its tables. It is read again after one
 * has changed. Not for databases beside the project's own, which change without our knowledge.
 */
export class FromDefinitions<T> {
  readonly #lanes: Pick<Lanes<Lane>, 'changing' | 'generation'>;
  #kept: { readonly generation: number; readonly value: T } | null = null;

  constructor(lanes: Pick<Lanes<Lane>, 'changing' | 'generation'>) {
    this.#lanes = lanes;
  }

  /** No call waits for the read of another one, which may be cancelled. */
  async get(read: () => Promise<T>): Promise<T> {
    const { changing, generation } = this.#lanes;
    if (!changing && this.#kept?.generation === generation) return this.#kept.value;
    const value = await read();
    if (!changing) this.#kept = { generation, value };
    return value;
  }
}
