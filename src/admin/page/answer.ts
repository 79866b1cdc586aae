/** A page of the admin API: everything it needs is in it. */
export interface Page {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly style: string;
  /** Empty: a page that only shows. */
  readonly script: string;
}

/** Text as HTML shows it. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A page that runs its own script and talks to its own server only; nothing leaves the machine. */
export async function toPage({ title, body, style, script }: Page): Promise<Response> {
  const scripts = script === '' ? "'none'" : `'${await hashOf(script)}'`;
  const policy = `default-src 'none'; style-src '${await hashOf(style)}'; script-src ${scripts}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
${script === '' ? '' : `<script>${script}</script>`}
</body>
</html>
`;
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  });
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
