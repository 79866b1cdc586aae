import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** A server's signing key. */
export interface Signer {
  readonly jwks: { readonly keys: readonly Record<string, unknown>[] };
  /** The private key, for servers that take it whole. */
  readonly privateJwk: Record<string, unknown>;
  sign(claims: JWTPayload, header?: { readonly typ?: string }): Promise<string>;
}

/** A fresh RSA key that signs RS256. */
export async function createSigner(kid = 'k1'): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const common = { kid, alg: 'RS256', use: 'sig' };
  return {
    jwks: { keys: [{ ...(await exportJWK(publicKey)), ...common }] },
    privateJwk: { ...(await exportJWK(privateKey)), ...common },
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT', ...header }).sign(privateKey),
  };
}
