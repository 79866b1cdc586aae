import type { UriTemplate } from '../project/uri.ts';

/** A placeholder stands for one segment of a path; other characters are percent-encoded (RFC 6570, 3.2.2). */
const BREAK = /[/?#]/;

/**
 * Matches a URI against a template and returns the decoded values of its placeholders; null without
 * a match. Each placeholder takes the shortest text, which finds a match whenever one exists.
 */
export function matchUri(
  { literals, variables }: UriTemplate,
  uri: string,
): { readonly [name: string]: string } | null {
  const [first = '', ...after] = literals;
  if (variables.length === 0) return uri === first ? {} : null;
  if (!uri.startsWith(first)) return null;
  const values: [string, string][] = [];
  let from = first.length;
  for (const [index, name] of variables.entries()) {
    const literal = after[index] ?? '';
    const last = index === variables.length - 1;
    const end = last ? uri.length - literal.length : uri.indexOf(literal, from + 1);
    const value = end > from && uri.startsWith(literal, end) ? decode(uri.slice(from, end)) : null;
    if (value === null) return null;
    values.push([name, value]);
    from = end + literal.length;
  }
  return Object.fromEntries(values);
}

function decode(piece: string): string | null {
  if (BREAK.test(piece)) return null;
  try {
    return decodeURIComponent(piece);
  } catch {
    return null;
  }
}
