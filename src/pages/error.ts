import { html } from './html.ts';
import { toPage } from './page.ts';

const STYLE = `
main { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.375rem; margin: 0 0 1rem; }
p { overflow-wrap: anywhere; }
`;

const TITLES: { readonly [status: number]: string } = {
  401: 'Sign-in required',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not a page',
  429: 'Too many requests',
  503: 'Busy',
};

/** An error for a person with a browser. `home` is the start page of the server, if it may be shown. */
export function toErrorPage(
  error: { readonly status: number; readonly message: string; readonly home?: string },
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { status, message, home } = error;
  const title = TITLES[status] ?? (status < 500 ? 'The request cannot be answered' : 'The server failed');
  const body = html`<main>
<h1>${title}</h1>
<p>${message}</p>
${home === undefined ? null : html`<p><a href="${home}">Start page of this server</a></p>`}
</main>`;
  return toPage({ title, body, style: STYLE }, { status, headers: { ...headers, vary: 'Accept' } });
}
