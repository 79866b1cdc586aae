import { sha256 } from '../crypto/digest.ts';
import { toBase64 } from '../crypto/encoding.ts';
import { type Html, html, trusted } from './html.ts';

/** A self-contained page. */
export interface HtmlPage {
  readonly title: string;
  readonly body: Html;
  /** The CSS of this page, which follows the shared style. */
  readonly style?: string;
  /** A script for the browser. It can send requests to its own server only. */
  readonly script?: string;
  /** Whether the page has forms that the browser submits. */
  readonly forms?: boolean;
}

/** The status and headers of a page's response. */
export interface PageOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
}

/** Whether a client asks for a page, as browsers do. */
export function wantsHtml(accept: string | null): boolean {
  return /\btext\/html\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accept ?? '');
}

/** Answers with a page that loads nothing from other servers and that no page can frame. */
export async function toPage(page: HtmlPage, options: PageOptions = {}): Promise<Response> {
  const { title, body, script = '' } = page;
  const style = STYLE + (page.style ?? '');
  const text = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
${body}
${script === '' ? '' : html`<script>${trusted(script)}</script>`}
</body>
</html>
`;
  const { status = 200, headers, cookies = [] } = options;
  const all = new Headers({ ...(await toHeaders(style, script, page.forms === true)), ...headers });
  for (const cookie of cookies) all.append('set-cookie', cookie);
  return new Response(text.toString(), { status, headers: all });
}

async function toHeaders(style: string, script: string, forms: boolean): Promise<Record<string, string>> {
  const policy = [
    `default-src 'none'; style-src '${await hashOf(style)}'`,
    ...(script === '' ? [] : [`script-src '${await hashOf(script)}'; connect-src 'self'`]),
    // Browsers apply form-action to redirects after a form too, and those of a login lead to the provider and the client.
    ...(forms ? [] : ["form-action 'none'"]),
    "base-uri 'none'; frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // With no-referrer the Origin header of a form would be `null`.
    'referrer-policy': forms ? 'strict-origin' : 'no-referrer',
  };
}

/** The source expression that allows one text in a Content-Security-Policy (CSP 3, 2.3.1). */
async function hashOf(text: string): Promise<string> {
  return `sha256-${toBase64(await sha256(text))}`;
}

/** The style that all pages share, light and dark: colours, fonts, code. */
const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b2330, #e6eaf1); --soft: light-dark(#5a6577, #9aa6b8);
  --line: light-dark(#dde2ea, #2c3543); --back: light-dark(#f7f8fa, #12161d); --card: light-dark(#fff, #1a2029);
  --code: light-dark(#f1f4f8, #10141a); --accent: light-dark(#1f5fd0, #82b1ff);
  --warn: light-dark(#8a5300, #f0b95b); --good: light-dark(#1d6b3f, #7fd6a4); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { line-height: 1.2; overflow-wrap: anywhere; }
a { color: var(--accent); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .75rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--code); border-radius: .45rem; }
pre code { font: inherit; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

/** The style of buttons. */
export const BUTTON = `
button { font: inherit; color: var(--card); background: var(--accent); border: 1px solid var(--accent); border-radius: .4rem; cursor: pointer; }
`;
