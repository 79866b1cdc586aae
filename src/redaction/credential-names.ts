/** Key names that suggest the value is a credential. */
const NAMES =
  /password|passwd|passphrase|passcode|secret|token|apikey|accesskey|privatekey|signingkey|encryptionkey|credential|authorization|bearer|cookie|jwt|pwd$|^(auth|pass|pin|otp|totp|cvv|cvc)$/;

/** Counters of a language model's tokens, which are not credentials. */
const COUNTS = /^(max|min|num|total|input|output|prompt|completion)?tokens$|tokencount|tokenlimit/;

/** Whether a name suggests a credential, in any spelling: `apiKey`, `API-Key`, `api_key`. */
export function isCredentialName(name: string): boolean {
  const plain = toPlain(name);
  return NAMES.test(plain) && !COUNTS.test(plain);
}

/** Whether a value has the name of a credential. A number under a name such as `max_tokens` is a counter and does not count. */
export function isNamedCredential(name: string, value: unknown): boolean {
  const plain = toPlain(name);
  return NAMES.test(plain) && !(COUNTS.test(plain) && typeof value === 'number');
}

function toPlain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** Names and their values inside a text: JSON, also truncated, and `name=value` as in URLs and connection strings. */
const PAIRS =
  /("([^"\\]{1,64})"\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s"{[,}\]]+)|(\b([A-Za-z][\w.-]{1,63})=)[^\s&;,"'<>]+/g;

/**
 * Credentials that are recognizable without a name: JWTs, `Bearer …`, private keys, `user:password@`, `https://token@`,
 * well-known prefixes.
 */
const TEXTS =
  /\beyJ[\w-]{10,}(?:\.[\w-]*){0,4}|\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|(?<=:\/\/)[^\s/:@]*:[^\s/@]+(?=@)|(?<=\bhttps?:\/\/)[^\s/:@?#]+(?=@)|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\b(?:svc_key_|gh[opsur]_|github_pat_|xox[abprs]-|sk-)[\w-]{16,}/g;

/** A quick test: a text without any of these cannot match TEXTS. */
const HINTS = /eyJ|Bearer|Basic|-----BEGIN|:\/\/|AKIA|ASIA|svc_key_|gh[opsur]_|github_pat_|xox|sk-/;

/** Replaces the credentials in a text. */
export function withoutCredentials(text: string, replacement: string): string {
  const named = /=|"\s*:/.test(text) ? withoutNamed(text, replacement) : text;
  return HINTS.test(named) ? named.replace(TEXTS, replacement) : named;
}

function withoutNamed(text: string, replacement: string): string {
  return text.replace(PAIRS, (whole: string, json?: string, key = '', plain = '', name = '') => {
    if (!isCredentialName(key || name)) return whole;
    return json === undefined ? `${plain}${replacement}` : `${json}"${replacement}"`;
  });
}
