/** What a client may hold open before it has sent a whole request (milliseconds, bytes). */
export interface HttpLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
}

/** What holds unless a test wants it faster (docs/reference/limits.md). */
export const HTTP_LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // Longer than the usual load balancer's, so that it is never the server that closes a connection in reuse.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
};
