/** A type without the keys that may be null or undefined; such keys become optional. */
export type Present<T> = {
  readonly [Key in keyof T as null extends T[Key] ? never : undefined extends T[Key] ? never : Key]: T[Key];
} & {
  readonly [Key in keyof T as null extends T[Key] ? Key : undefined extends T[Key] ? Key : never]?: Exclude<
    T[Key],
    null | undefined
  >;
};

/** A copy without the keys whose value is null or undefined. */
export function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as Present<T>;
}
