/** The most ranges of a database in one call. Cloudflare allows 1,000 requests to its own services for each request to a Worker. */
export const MAX_RANGES = 900;
