import { SvcError } from '../../../src/errors.ts';
import type { Instance } from '../engine/instance.ts';
import type { Session } from '../query/session.ts';
import { type CurrentCaller, callerFunctions } from './caller.ts';
import { withCpp } from './cpp.ts';
import { Loader } from './extension-loader.ts';
import { registerJson } from './json/casts.ts';
import { Json } from './json/document.ts';
import { jsonFunctions, registerMacros } from './json/functions.ts';
import { createDefine } from './scalar-function.ts';
import { SqlTypes } from './sql-types.ts';
import { calendarFunctions } from './time/current-date.ts';
import { guardStrftime } from './time/strftime.ts';
import { guardStrptime, registerDateCast, registerTimeCast, zoneFunctions } from './time/time-zones.ts';
import { registerTimestampTz } from './time/timestamptz.ts';

/*
 * The only door to this folder. Everything in it reaches into DuckDB's C++ objects, whose layout a new version of DuckDB
 * may change; the rest of the adapter uses the C API and this file. A test of the imports enforces it.
 */

/** Registers the functions that an error says are missing; returns whether it did, so that the statement can be retried. */
export type RegisterMissing = (thrown: unknown) => boolean;

interface Deps {
  readonly instance: Instance;
  /** The handle of the open database. */
  readonly database: number;
  readonly session: Session;
  readonly caller: CurrentCaller;
}

/**
 * Registers the functions about the caller and about now, and the casts of JSON and dates. The other functions of
 * DuckDB's json and icu extensions are registered for the first statement that misses one: registering them at the start
 * would make every start a twentieth slower.
 */
export function registerFunctions({ instance, database, session, caller }: Deps): RegisterMissing {
  const engine = withCpp(instance);
  const loader = new Loader(engine, database);
  const types = new SqlTypes(engine);
  const define = createDefine(engine, loader, types);
  const kit = { instance: engine, types, json: new Json(engine) };
  registerDateCast(engine, loader, types);
  registerTimeCast(engine, loader, types);
  guardStrptime(engine, loader, types);
  guardStrftime(engine, loader);
  registerJson(kit, loader, session.handle);
  for (const definition of callerFunctions(engine, caller)) define(definition);
  for (const definition of calendarFunctions(engine, Date.now)) define(definition);
  const missing = new Map([
    [
      'icu',
      () => {
        registerTimestampTz(engine, loader, types);
        for (const definition of zoneFunctions(engine)) define(definition);
      },
    ],
    [
      'json',
      () => {
        for (const definition of jsonFunctions(kit)) define(definition);
        registerMacros(loader);
      },
    ],
  ]);
  return (thrown) => {
    const extension = extensionOf(thrown);
    const register = missing.get(extension);
    missing.delete(extension);
    register?.();
    return register !== undefined;
  };
}

/** Returns the extension whose function is missing, according to an error; an empty text for other errors. */
function extensionOf(thrown: unknown): string {
  const message = thrown instanceof SvcError ? thrown.message : '';
  if (/^Binder Error: No function matches .*TIMESTAMP WITH TIME ZONE/.test(message)) return 'icu';
  return /(?:exists in the |required extension ')(icu|json)\b/.exec(message)?.[1] ?? '';
}
