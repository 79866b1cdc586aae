import type { SqlCaller } from '../../src/ports.ts';
import type { ScalarFunction } from './scalar.ts';

/** Who the engine is working for at this moment; null: nobody is authenticated. */
export type CurrentCaller = () => SqlCaller | null;

/** The SQL functions about the caller (spec, "SQL functions available when served"). */
export function callerFunctions(caller: CurrentCaller): readonly ScalarFunction[] {
  const about = (name: string, answer: (caller: SqlCaller) => string | null): ScalarFunction => ({
    name,
    parameters: 0,
    returns: 'VARCHAR',
    answer: () => {
      const current = caller();
      return current === null ? null : answer(current);
    },
  });
  return [
    about('get_user_external_token', ({ externalToken }) => externalToken),
    about('get_username', ({ username }) => username),
    about('get_user_provider', ({ provider }) => provider),
    about('get_user_email', ({ email }) => email),
    about(
      'get_request_headers_json',
      ({ headers }) => headers && JSON.stringify(Object.fromEntries(headers)),
    ),
    {
      name: 'get_request_header',
      parameters: 1,
      returns: 'VARCHAR',
      answer: (name) => (name === null ? null : (caller()?.headers?.get(name.toLowerCase()) ?? null)),
    },
  ];
}

const MICROS_PER_DAY = 86_400_000_000n;

/** The SQL functions about today that DuckDB keeps in an extension this engine lacks; the time zone is UTC. */
export function calendarFunctions(now: () => number): readonly ScalarFunction[] {
  const micros = (): bigint => BigInt(now()) * 1000n;
  const day = (name: string): ScalarFunction => ({
    name,
    parameters: 0,
    returns: 'DATE',
    answer: () => Number(micros() / MICROS_PER_DAY),
  });
  return [
    day('current_date'),
    day('today'),
    { name: 'current_localtimestamp', parameters: 0, returns: 'TIMESTAMP', answer: micros },
    { name: 'current_localtime', parameters: 0, returns: 'TIME', answer: () => micros() % MICROS_PER_DAY },
  ];
}
