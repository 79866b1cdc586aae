import { SvcError, toSvcError } from '../../../src/errors.ts';
import { FILE_READS, MUST_WAIT } from './callbacks.ts';
import { ERRNO_INPUT_OUTPUT, type System, type SystemCall } from './file-system.ts';
import type { EngineFunction } from './instance.ts';
import {
  type EngineStep,
  READING,
  type ReadingCall,
  type ReadingFunctions,
  type ReadingName,
  runWaiting,
} from './steps.ts';

/** The limits of a step that may wait. */
export interface WaitLimits {
  /** Rejects with the reason to end the step at its current or next wait. */
  readonly ended: Promise<never>;
  /** Called before each wait. Throws the reason to end the step. */
  check(): void;
}

type Waits = (...args: number[]) => Promise<number>;

/** JavaScript Promise Integration, which TypeScript does not know yet. */
interface Jspi {
  readonly Suspending: new (callee: Waits) => SystemCall;
  readonly promising: (exported: EngineFunction) => Waits;
}

/**
 * Suspends an engine while it waits for bytes of its file. Only one step may run at a time: a second entry while the
 * first one is suspended destroys the engine's state.
 */
export class Waiting {
  #missing: Promise<void> | null = null;
  /** Null while no step runs that may wait. */
  #limits: WaitLimits | null = null;
  #failure: SvcError | null = null;
  #functions: { readonly [name in ReadingName]: Waits } | null = null;

  /** Receives the promise of bytes that a read lacks. */
  readonly onMissing = (missing: Promise<void>): void => {
    // The wait reports a rejection. A read that may not wait has failed already.
    missing.catch(() => {});
    this.#missing = missing;
  };

  /** The file reads that suspend the engine, made of those that answer `MUST_WAIT`. */
  suspending(reads: System, toShims: (imports: WebAssembly.ModuleImports) => System): System {
    const { Suspending } = jspi();
    const imports = Object.keys(FILE_READS).flatMap((name) => {
      const read = reads[name];
      if (read === undefined) return [];
      return [
        [name, (...args: number[]) => this.#answer(read(...args))],
        [`wait_${name}`, new Suspending((...args) => this.#wait(() => read(...args)))],
      ];
    });
    return toShims(Object.fromEntries(imports));
  }

  /** Takes the functions of the engine, once it is instantiated. */
  bind(functions: ReadingFunctions): void {
    const { promising } = jspi();
    const made = READING.map((name) => [name, promising(functions[name])]);
    this.#functions = Object.fromEntries(made);
  }

  /** Runs a step. Throws the reason of a failed read rather than DuckDB's error about it. */
  async run<T>(step: EngineStep<T>, limits: WaitLimits): Promise<T> {
    this.#limits = limits;
    this.#failure = null;
    try {
      return await runWaiting((call) => this.#call(call), step);
    } finally {
      this.#limits = null;
    }
  }

  /** The reason of the last failed read of the last step; null if none failed. */
  get failure(): SvcError | null {
    return this.#failure;
  }

  async #call([name, ...args]: ReadingCall): Promise<number> {
    if (this.#functions === null) throw new SvcError('internal', 'the engine is not instantiated');
    return this.#functions[name](...args);
  }

  /** A read that may not wait fails, because it would destroy the engine. */
  #answer(result: number): number {
    if (result !== MUST_WAIT || this.#limits !== null) return result;
    this.#failure = new SvcError(
      'internal',
      'a function of the engine read the file that may not wait for it',
    );
    return ERRNO_INPUT_OUTPUT;
  }

  async #wait(read: () => number): Promise<number> {
    try {
      for (;;) {
        this.#limits?.check();
        await Promise.race([this.#missing, this.#limits?.ended]);
        const result = read();
        if (result !== MUST_WAIT) return result;
      }
    } catch (thrown) {
      this.#failure = toSvcError(thrown);
      return ERRNO_INPUT_OUTPUT;
    }
  }
}

function jspi(): Jspi {
  if ('Suspending' in WebAssembly && 'promising' in WebAssembly) return WebAssembly as unknown as Jspi;
  throw new SvcError(
    'target_unsupported',
    'This runtime has no JavaScript Promise Integration (JSPI), which reading a database by ranges needs. Use Node 24 or newer, or a current compatibility date of Workers.',
  );
}
