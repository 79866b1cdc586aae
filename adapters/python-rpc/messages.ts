/** Answers a text of Python's, later. */
export type RpcRequest = (text: string) => Promise<string>;

/** Told when a call waits for the interpreter, and when it has it. */
export type Turns = (now: 'wait' | 'begin') => Promise<void>;

/** The Python Worker, as the platform binds it. */
export interface PythonBinding {
  /** Answers one message of the protocol, in as many milliseconds at most. */
  exchange(message: string, ask: RpcRequest, turns: Turns, limitMs: number): Promise<string>;
}

/** In place of an answer: too many wait already. */
export const BUSY = '{"op":"busy"}';
/** In place of an answer: the time of the call was over before. */
export const LATE = '{"op":"late"}';
