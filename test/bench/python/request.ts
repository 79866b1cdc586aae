import type { JsonObject } from '../../../src/json.ts';
import type { PythonRequest } from '../../../src/ports.ts';

/** A call of a function by an anonymous caller, with a small result. */
export function benchRequest(file: string, name: string, args: JsonObject): PythonRequest {
  return { file, name, args, kinds: {}, user: null, maxRows: 10, maxBytes: 1_000_000 };
}
