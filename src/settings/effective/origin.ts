/** The origins of effective values, strongest first. */
const ORIGINS = ['flag', 'environment', 'user-file', 'site-file', 'default'] as const;
export type OriginKind = (typeof ORIGINS)[number];

/** The source of a value: `--port`, `SVC_READONLY`, or a position such as `svc-site.yml:7`. */
export interface Origin {
  readonly kind: OriginKind;
  /** The flag, the variable or the position; null for a default. */
  readonly source: string | null;
}

/** A value from a flag or from the environment, which replaces the value of a file. */
export interface Override {
  readonly key: string;
  readonly value:
    | string
    | number
    | boolean
    | { readonly [name: string]: string }
    | readonly { readonly [name: string]: string }[];
  readonly origin: Origin;
}
