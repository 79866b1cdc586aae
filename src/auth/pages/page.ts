import { type Html, html } from './html.ts';

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 2rem 1rem; font: 1rem/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
main { max-width: 34rem; margin: 0 auto; }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 1rem; overflow-wrap: anywhere; }
p, ul { margin: 0 0 1rem; overflow-wrap: anywhere; }
ul { padding-left: 1.25rem; }
code { font: 0.9375em ui-monospace, monospace; }
.notice { border-left: 0.25rem solid #b45309; padding: 0.5rem 0.75rem; background: color-mix(in srgb, #b45309 12%, Canvas); }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1.5rem 0 0; }
button { flex: 1 1 12rem; font: inherit; font-weight: 600; min-height: 2.75rem; padding: 0.5rem 1rem; border-radius: 0.375rem; border: 1px solid GrayText; background: Canvas; color: CanvasText; cursor: pointer; }
button.main { background: #1d4ed8; border-color: #1d4ed8; color: #fff; }
button:focus-visible { outline: 3px solid #60a5fa; outline-offset: 2px; }
small { color: color-mix(in srgb, CanvasText 70%, Canvas); }
`;

/** A page of the login: no script, nothing from elsewhere, framed by nobody. */
export async function toPage(
  title: string,
  body: Html,
  options: {
    readonly status?: number;
    readonly cookies?: readonly string[];
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Response> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  const headers = new Headers({ ...(await pageHeaders()), ...options.headers });
  for (const cookie of options.cookies ?? []) headers.append('set-cookie', cookie);
  return new Response(page.html, { status: options.status ?? 200, headers });
}

/** Where nothing else can be said: a page with what went wrong. */
export function toProblemPage(
  message: string,
  status: number,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const body = html`<h1>Signing in did not work</h1>
<p class="notice" role="alert">${message}</p>
<p>Close this page, and start again from the program that sent you here.</p>`;
  return toPage('Signing in did not work', body, { status, headers });
}

let headers: Promise<Record<string, string>> | null = null;

function pageHeaders(): Promise<Record<string, string>> {
  headers ??= makeHeaders();
  return headers;
}

async function makeHeaders(): Promise<Record<string, string>> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(STYLE));
  const style = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // No form-action: browsers hold the redirects after a form against it, and they lead to the provider and the client.
    'content-security-policy': `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // Not no-referrer, which would make a form's own Origin header `null`; the address itself goes nowhere.
    'referrer-policy': 'strict-origin',
  };
}
