import type { SvcError } from '../../../src/errors.ts';

/** Whose turn it is on a line: one text is sent, and its sender waits for the answer, or for why none comes any more. */
export class Turn {
  #pending: PromiseWithResolvers<string> | null = null;
  #gone: SvcError | null = null;

  get alive(): boolean {
    return this.#gone === null;
  }

  /** Sends a text, unless nobody answers any more. */
  exchange(send: () => void): Promise<string> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    const pending = Promise.withResolvers<string>();
    this.#pending = pending;
    send();
    return pending.promise;
  }

  answer(text: string): void {
    this.#take()?.resolve(text);
  }

  /** The first reason is the one that counts. */
  end(reason: SvcError): void {
    this.#gone ??= reason;
    this.#take()?.reject(this.#gone);
  }

  #take(): PromiseWithResolvers<string> | null {
    const pending = this.#pending;
    this.#pending = null;
    return pending;
  }
}
