/** Names under which somebody keeps what lets one in. */
const NAMES =
  /password|passwd|passphrase|passcode|secret|token|apikey|accesskey|privatekey|signingkey|encryptionkey|credential|authorization|bearer|cookie|jwt|pwd$|^(auth|pin|otp|cvv|cvc)$/;

/** Counters of a language model's tokens. */
const COUNTS = /^(max|min|num|total|input|output|prompt|completion)?tokens$|tokencount|tokenlimit/;

/** Whether a name says that its value is a credential, however it is written: `apiKey`, `API-Key`, `api_key`. */
export function isCredentialName(name: string): boolean {
  const plain = name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  return NAMES.test(plain) && !COUNTS.test(plain);
}

/** Credentials that give themselves away: JWTs, `Bearer …`, private keys, `user:password@`, well-known prefixes. */
const TEXTS =
  /\beyJ[\w-]{10,}(?:\.[\w-]*){0,4}|\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|(?<=:\/\/)[^\s/:@]+:[^\s/@]+(?=@)|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\b(?:gh[opsur]_|github_pat_|xox[abprs]-|sk-)[\w-]{16,}/g;

/** What may begin a match of TEXTS; most texts hold none of it. */
const HINTS = /eyJ|Bearer|Basic|-----BEGIN|:\/\/|AKIA|ASIA|gh[opsur]_|github_pat_|xox|sk-/;

/** A text with the credentials in it replaced. */
export function withoutCredentials(text: string, replacement: string): string {
  return HINTS.test(text) ? text.replace(TEXTS, replacement) : text;
}
