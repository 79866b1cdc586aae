import type { SqlCaller } from '../../../src/ports.ts';
import type { CppInstance } from './cpp.ts';
import type { Overload, SqlFunction } from './scalar-function.ts';
import { columnOf, inputOf, setNull, setText } from './vector.ts';

/** Returns the caller of the step that runs now; null if the caller is anonymous. */
export type CurrentCaller = () => SqlCaller | null;

type Answer = (argument: string | null) => string | null;

/** The SQL functions that return facts about the caller (spec, "SQL functions available when served"). */
export function callerFunctions(instance: CppInstance, caller: CurrentCaller): readonly SqlFunction[] {
  const about = (name: string, answer: (caller: SqlCaller) => string | null): SqlFunction => {
    const told = (): string | null => {
      const current = caller();
      return current === null ? null : answer(current);
    };
    return { name, overloads: [textOverload(instance, [], told)] };
  };
  const headerOf: Answer = (name) =>
    name === null ? null : (caller()?.headers?.get(name.toLowerCase()) ?? null);
  return [
    about('get_user_external_token', ({ externalToken }) => externalToken),
    about('get_username', ({ username }) => username),
    about('get_user_provider', ({ provider }) => provider),
    about('get_user_email', ({ email }) => email),
    about(
      'get_request_headers_json',
      ({ headers }) => headers && JSON.stringify(Object.fromEntries(headers)),
    ),
    { name: 'get_request_header', overloads: [textOverload(instance, ['VARCHAR'], headerOf)] },
  ];
}

/** An overload that takes at most one text and returns text. */
function textOverload(instance: CppInstance, takes: readonly 'VARCHAR'[], answer: Answer): Overload {
  const { call, heap } = instance;
  return {
    takes,
    returns: 'VARCHAR',
    seesNulls: true,
    run(chunk, output) {
      const input = takes.length > 0 ? inputOf(instance, columnOf(instance, chunk, 0)) : null;
      for (let row = 0; row < call.duckdb_data_chunk_get_size(chunk); row += 1) {
        const argument = input === null || input.isNull(row) ? null : heap.string(input.data, row);
        const value = answer(argument);
        if (value === null) setNull(instance, output, row);
        else setText(instance, output, row, value);
      }
    },
  };
}
