import { createHash, randomBytes } from 'node:crypto';

/** What somebody allowed, and to whom. */
export interface Grant {
  readonly user: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly nonce: string | null;
  readonly offline: boolean;
}

/** A token that was given out. */
export interface Issued {
  readonly grant: Grant;
  readonly kind: 'access' | 'refresh';
}

/** What a server keeps: codes that work once, tokens that work until they are ended. */
export interface Desk {
  code(grant: Grant): string;
  /** The grant of a code, once; a text says what is wrong, and whoever comes second ends the first one's tokens. */
  redeem(code: string, proof: { redirectUri: string | null; verifier: string | null }): Grant | string;
  token(kind: Issued['kind'], grant: Grant, prefix: string): string;
  find(kind: Issued['kind'], token: string): Grant | null;
  /** Whether there was such a token; everything of the same grant ends with it. */
  end(token: string): boolean;
  drop(token: string): void;
}

/** An empty desk. */
export function createDesk(): Desk {
  const codes = new Map<string, Grant>();
  const used = new Map<string, Grant>();
  const tokens = new Map<string, Issued>();
  const endAll = (grant: Grant) => {
    for (const [token, issued] of tokens) if (issued.grant === grant) tokens.delete(token);
  };
  return {
    code: (grant) => {
      const code = random('');
      codes.set(code, grant);
      return code;
    },
    redeem: (code, proof) => {
      const again = used.get(code);
      if (again) endAll(again);
      const grant = codes.get(code);
      if (!grant) return 'unknown or used code';
      codes.delete(code);
      used.set(code, grant);
      if (proof.redirectUri !== grant.redirectUri) return 'another redirect_uri';
      if (grant.challenge !== null && grant.challenge !== s256(proof.verifier ?? '')) return 'wrong verifier';
      return grant.challenge === null && proof.verifier !== null ? 'a verifier without a challenge' : grant;
    },
    token: (kind, grant, prefix) => {
      const token = random(prefix);
      tokens.set(token, { grant, kind });
      return token;
    },
    find: (kind, token) => {
      const issued = tokens.get(token);
      return issued?.kind === kind ? issued.grant : null;
    },
    end: (token) => {
      const issued = tokens.get(token);
      if (issued) endAll(issued.grant);
      return issued !== undefined;
    },
    drop: (token) => void tokens.delete(token),
  };
}

const random = (prefix: string) => `${prefix}${randomBytes(18).toString('base64url')}`;
const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
