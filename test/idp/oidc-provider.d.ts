declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  /** As much of npm's `oidc-provider` as the stand-in of Keycloak uses. */
  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
    on(event: string, listener: (...args: unknown[]) => void): this;
  }
}
