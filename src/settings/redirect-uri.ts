/** `http` on the user's own machine: host, port, and the rest. */
export const LOOPBACK_URI = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?([/?][^#]*)?$/;
/** Schemes whose URLs run or show their own content. */
const NEVER = /^(javascript|data|vbscript|file|about|blob|filesystem|view-source|ws|wss|ftp):/i;

/** Whether a URI may be registered: plain characters, no fragment, no credentials. */
export function isRegistrable(uri: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(uri) || /[#\\"<>^`{|}]/.test(uri)) return false;
  if (NEVER.test(uri) || !URL.canParse(uri) || /^https?:(?!\/\/[^/?])/i.test(uri)) return false;
  const { username, password } = new URL(uri);
  return username === '' && password === '' && !/^[^:]+:\/\/[^/?]*@/.test(uri);
}

/** Whether an address may be used: https, or http on the user's own machine (OAuth 2.1, 2.3.1). */
export function isUsable(uri: string): boolean {
  return isRegistrable(uri) && (uri.startsWith('https://') || LOOPBACK_URI.test(uri));
}

/** Whether an address has a scheme of a program. Only the operator may configure a client with one. */
export function isPrivateUse(uri: string): boolean {
  return isRegistrable(uri) && !/^https?:/i.test(uri);
}
