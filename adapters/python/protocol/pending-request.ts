import type { SvcError } from '../../../src/errors.ts';

/** The one pending request of an interpreter. It resolves with the answer, or rejects with the reason why none will come. */
export class PendingRequest {
  #pending: PromiseWithResolvers<string> | null = null;
  #gone: SvcError | null = null;

  get alive(): boolean {
    return this.#gone === null;
  }

  /** Sends a text and waits for the answer. Rejects at once if the interpreter has ended. */
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

  /** Rejects this and all later requests. Only the first reason counts. */
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
