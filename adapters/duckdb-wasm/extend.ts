import { SvcError } from '../../src/errors.ts';
import { type CurrentCaller, callerFunctions } from './functions.ts';
import type { Instance } from './instance.ts';
import { registerJson } from './json/casts.ts';
import { Json } from './json/document.ts';
import { jsonFunctions, registerMacros } from './json/functions.ts';
import { Loader } from './loader.ts';
import { createDefine } from './scalar.ts';
import type { Session } from './session.ts';
import { SqlTypes } from './sql-types.ts';
import { calendarFunctions } from './time/calendar.ts';
import { registerTwins } from './time/twins.ts';
import { registerDateCast, zoneFunctions } from './time/zone.ts';
import { guardStrptime, zonedFunctions } from './time/zone-names.ts';

/** Adds more functions where an error says that they are missing; answers whether it did. */
export type ExtendFor = (thrown: unknown) => boolean;

/**
 * Adds the functions about the caller and about now, and the casts of JSON and of dates. What else people use of the
 * extensions that this engine has not is added for the first statement that misses it: at the start it would cost
 * every engine a twentieth of the time.
 */
export function extendEngine(
  {
    instance,
    database,
    session,
  }: { readonly instance: Instance; readonly database: number; readonly session: Session },
  caller: CurrentCaller,
): ExtendFor {
  const loader = new Loader(instance, database);
  const types = new SqlTypes(instance);
  const define = createDefine(instance, loader, types);
  const kit = { instance, types, json: new Json(instance) };
  registerDateCast(instance, loader, types);
  guardStrptime(instance, loader, types);
  registerJson(kit, loader, session.handle);
  for (const definition of callerFunctions(instance, caller)) define(definition);
  for (const definition of calendarFunctions(instance, Date.now)) define(definition);
  const lacking = new Map([
    [
      'icu',
      () => {
        registerTwins(instance, loader, types);
        for (const definition of [...zoneFunctions(instance), ...zonedFunctions()]) define(definition);
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
    const extend = lacking.get(extension);
    lacking.delete(extension);
    extend?.();
    return extend !== undefined;
  };
}

/** The extension whose functions an error misses. */
function extensionOf(thrown: unknown): string {
  const message = thrown instanceof SvcError ? thrown.message : '';
  if (/^Binder Error: No function matches .*TIMESTAMP WITH TIME ZONE/.test(message)) return 'icu';
  return /(?:exists in the |required extension ')(icu|json)\b/.exec(message)?.[1] ?? '';
}
