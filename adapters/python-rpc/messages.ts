/** Answers a request of Python. */
export type RpcRequest = (text: string) => Promise<string>;

/** Called when a call begins to wait for the interpreter, and when it gets it. */
export type Turns = (now: 'wait' | 'begin') => Promise<void>;

/** The binding of the Python Worker. */
export interface PythonBinding {
  /** Answers one message of the protocol within `limitMs` milliseconds. */
  exchange(message: string, ask: RpcRequest, turns: Turns, limitMs: number): Promise<string>;
}

/** The answer if too many calls wait already. */
export const BUSY = '{"op":"busy"}';
/** The answer if the time of the call was over first. */
export const LATE = '{"op":"late"}';
