import * as v from 'valibot';

/** A checked authorization request on its way through the browser; sealed, so nobody can change it there. */
export const PENDING = v.object({
  /** Hash of the client's id. */
  h: v.string(),
  /** Redirect URI. */
  r: v.string(),
  /** PKCE challenge. */
  k: v.string(),
  /** The client's state. */
  st: v.nullable(v.string()),
  /** Granted scopes. */
  sc: v.array(v.string()),
});

export type Pending = v.InferOutput<typeof PENDING>;

/** How long a person may take on each page, in seconds. */
export const PENDING_SECONDS = 600;
