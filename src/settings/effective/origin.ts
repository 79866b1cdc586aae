/** Where an effective value comes from, strongest first. */
export const ORIGINS = ['flag', 'environment', 'user-file', 'site-file', 'default'] as const;
export type OriginKind = (typeof ORIGINS)[number];

/** Where a value was set: `--port`, `SVC_READONLY`, or a place such as `svc-site.yml:7`. */
export interface Origin {
  readonly kind: OriginKind;
  /** Null for defaults. */
  readonly source: string | null;
}

/** A value that stands above the files: from a flag or from the environment. */
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
