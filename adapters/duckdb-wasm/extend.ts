import { type CurrentCaller, callerFunctions } from './functions.ts';
import type { Instance } from './instance.ts';
import { Loader } from './loader.ts';
import { createDefine } from './scalar.ts';
import { SqlTypes } from './sql-types.ts';
import { calendarFunctions } from './time/calendar.ts';
import { registerTwins } from './time/twins.ts';
import { registerDateCast, zoneFunctions } from './time/zone.ts';

/** Adds the functions about the caller, and what people use of the extensions that this engine has not. */
export function extendEngine(instance: Instance, database: number, caller: CurrentCaller): void {
  const loader = new Loader(instance, database);
  const types = new SqlTypes(instance);
  const define = createDefine(instance, loader, types);
  registerTwins(instance, loader, types);
  registerDateCast(instance, loader, types);
  const functions = [
    ...callerFunctions(instance, caller),
    ...calendarFunctions(instance, Date.now),
    ...zoneFunctions(instance),
  ];
  for (const definition of functions) define(definition);
}
