/** Names under which somebody keeps what lets one in. */
const NAMES =
  /password|passwd|passphrase|passcode|secret|token|apikey|accesskey|privatekey|signingkey|encryptionkey|credential|authorization|bearer|cookie|jwt|pwd$|^(auth|pass|pin|otp|totp|cvv|cvc)$/;

/** Counters of a language model's tokens. */
const COUNTS = /^(max|min|num|total|input|output|prompt|completion)?tokens$|tokencount|tokenlimit/;

/** Whether a name says that its value is a credential, however it is written: `apiKey`, `API-Key`, `api_key`. */
export function isCredentialName(name: string): boolean {
  const plain = toPlain(name);
  return NAMES.test(plain) && !COUNTS.test(plain);
}

/** Whether a value goes by such a name; what counts tokens is a number. */
export function isNamedCredential(name: string, value: unknown): boolean {
  const plain = toPlain(name);
  return NAMES.test(plain) && !(COUNTS.test(plain) && typeof value === 'number');
}

function toPlain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** Values with their names in a text: JSON, cut JSON too, and `name=value` as addresses and drivers have it. */
const PAIRS =
  /("([^"\\]{1,64})"\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s"{[,}\]]+)|(\b([A-Za-z][\w.-]{1,63})=)[^\s&;,"'<>]+/g;

/** Credentials that give themselves away: JWTs, `Bearer …`, private keys, `user:password@`, well-known prefixes. */
const TEXTS =
  /\beyJ[\w-]{10,}(?:\.[\w-]*){0,4}|\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|(?<=:\/\/)[^\s/:@]+:[^\s/@]+(?=@)|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\b(?:gh[opsur]_|github_pat_|xox[abprs]-|sk-)[\w-]{16,}/g;

/** What may begin a match of TEXTS; most texts hold none of it. */
const HINTS = /eyJ|Bearer|Basic|-----BEGIN|:\/\/|AKIA|ASIA|gh[opsur]_|github_pat_|xox|sk-/;

/** A text with the credentials in it replaced. */
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
