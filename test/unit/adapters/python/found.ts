import { findInterpreter } from '../../../../adapters/python/interpreter.ts';

const found = await findInterpreter({ root: process.cwd(), env: process.env }).catch((error: Error) => error);

if (found instanceof Error) process.stderr.write(`NOT TESTED, since there is no python3: ${found.message}\n`);

/** The interpreter of this machine; null: what needs one is skipped. */
export const PYTHON = found instanceof Error ? null : found.executable;
