import type { CppInstance } from '../cpp.ts';
import type { Loader } from '../extension-loader.ts';
import { LOGICAL_TYPE, SCALAR_FUNCTION } from '../layout.ts';
import type { SqlTypes } from '../sql-types.ts';
import { addOverloads, aroundBind, expressionTypes, typesOf, wrapBind } from './overloads.ts';
import { refuseEarlyNanoseconds } from './strftime.ts';
import { refuseZoneNames } from './time-zones.ts';

/*
 * A TIMESTAMP WITH TIME ZONE is stored as the TIMESTAMP of the same instant in UTC. If UTC is the only zone, a function of
 * TIMESTAMP gives the right answer for both. So DuckDB's functions of TIMESTAMP are registered once more, for TIMESTAMP
 * WITH TIME ZONE. The icu extension, which has them on native, is not part of this engine.
 */

/** Registers DuckDB's functions of TIMESTAMP for TIMESTAMP WITH TIME ZONE. */
export function registerTimestampTz(instance: CppInstance, loader: Loader, types: SqlTypes): void {
  const hiding = aroundBind(instance, (expressions) => hideZones(instance, expressions));
  const refuseZones = refuseZoneNames(instance, types, 'strftime');
  const refusing = aroundBind(instance, (...call) => {
    refuseZones(...call);
    return (bound) => refuseEarlyNanoseconds(instance, bound);
  });
  for (const [names, factory] of instance.overloads) {
    for (const name of names.split(' ')) {
      const bind = name === 'strftime' ? refusing : hiding;
      loader.functions(name, (set) =>
        addOverloads(instance, factory, set, (at) => withTimeZone({ instance, types, bind }, at, name)),
      );
    }
  }
}

interface Kit {
  readonly instance: CppInstance;
  readonly types: SqlTypes;
  /** The address of a bind function that goes around another. */
  readonly bind: (original: number) => number;
}

/** Changes an overload for TIMESTAMP into one for TIMESTAMP WITH TIME ZONE; returns false for any other. */
function withTimeZone({ instance, types, bind }: Kit, at: number, name: string): boolean {
  const { heap } = instance;
  const takes = typesOf(instance, at).filter((type) => heap.bytes[type] === LOGICAL_TYPE.timestamp);
  const returns = at + SCALAR_FUNCTION.returns;
  if (takes.length === 0 && name !== 'make_timestamptz') return false;
  // DuckDB takes the format first for the types without zone only.
  if (name === 'strftime' && takes[0] !== typesOf(instance, at)[0]) return false;
  for (const type of takes) heap.bytes[type] = LOGICAL_TYPE.timestampTz;
  if (heap.bytes[returns] === LOGICAL_TYPE.timestamp) heap.bytes[returns] = LOGICAL_TYPE.timestampTz;
  if (name === 'range' || name === 'generate_series') {
    instance.cpp.assignType(returns, types.get('TIMESTAMP_TZ[]'));
  }
  // The bind function would return DATE for whole days, which DuckDB does for TIMESTAMP only.
  if (/^date_?trunc$/.test(name)) heap.setU32(at + SCALAR_FUNCTION.bind, 0);
  wrapBind(instance, at, bind);
  return true;
}

/** Hides the zone of the arguments' types while DuckDB's bind function looks at them. */
function hideZones(instance: CppInstance, expressions: number): () => void {
  const { heap } = instance;
  const zoned = expressionTypes(instance, expressions).filter(
    (type) => heap.bytes[type] === LOGICAL_TYPE.timestampTz,
  );
  for (const type of zoned) heap.bytes[type] = LOGICAL_TYPE.timestamp;
  return () => {
    for (const type of zoned) heap.bytes[type] = LOGICAL_TYPE.timestampTz;
  };
}
