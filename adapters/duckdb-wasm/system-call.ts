/** What the engine imports: numbers in, a number out. */
export type SystemCall = (...args: number[]) => number;

/** What a process would ask an operating system for; all that the engine gets of the world. */
export type System = { readonly [name: string]: SystemCall };
