import { type Html, html } from './html.ts';
import { BUTTON, type PageOptions, toPage } from './page.ts';

const STYLE = `${BUTTON}
main { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.375rem; margin: 0 0 1rem; }
p, ul { margin: 0 0 1rem; overflow-wrap: anywhere; }
ul { padding-left: 1.25rem; }
.notice { border-left: .25rem solid var(--warn); padding: .5rem .75rem; background: color-mix(in srgb, var(--warn) 12%, var(--back)); }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 0; }
button { flex: 1 1 12rem; font-weight: 600; min-height: 2.75rem; padding: .5rem 1rem; }
button.other { color: inherit; background: var(--card); border-color: var(--soft); }
small { color: var(--soft); }
`;

/** The content of a consent page (MCP Security Best Practices, "Confused Deputy Problem"). */
interface ConsentQuestion {
  readonly project: string;
  readonly client: {
    readonly id: string;
    readonly name: string;
    /** `document`: the id is the URL of the client's description; `static`: it is configured. */
    readonly kind: string;
  };
  readonly redirect: string;
  /** Whether the redirect leads to a program on the user's own computer. */
  readonly local: boolean;
  readonly scopes: readonly string[];
  /** The provider's name for people, and the scopes that it is asked for. */
  readonly provider: { readonly title: string; readonly scopes: readonly string[] };
  /** The address that the form is sent to. */
  readonly action: string;
  /** The sealed authorization request, which the form sends back. */
  readonly ticket: string;
  readonly cookies: readonly string[];
}

/** Asks a user whether a client may have tokens. */
export function toConsentPage(question: ConsentQuestion): Promise<Response> {
  const { project, client, scopes, provider, action, ticket, cookies } = question;
  const title = `Allow ${client.name} to use ${project}?`;
  const body = html`<h1>Allow <strong>${client.name}</strong> to use <strong>${project}</strong>?</h1>
<p>It asks for:</p>
<ul>${scopes.map((scope) => html`<li>${scopeInWords(scope)}</li>`)}</ul>
<p>You sign in with <strong>${provider.title}</strong>, which will be asked for: ${scopeList(provider.scopes)}.</p>
${redirectNotice(question)}
<p><small>${nameNotice(question)}</small></p>
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<button type="submit" name="answer" value="allow">Allow and sign in</button>
<button class="other" type="submit" name="answer" value="deny">Cancel</button>
</form>`;
  return toSignInPage(title, body, { cookies });
}

/** Scopes with a fixed meaning: ours, those of OpenID Connect, and those that the providers are asked for. */
const WORDS: { readonly [scope: string]: string } = {
  'svc:access': 'to use this server as you',
  openid: 'your identity',
  email: 'your email address',
  profile: 'your name and picture',
  offline_access: 'access while you are away',
  refresh_token: 'access while you are away',
  'read:user': 'your profile',
  'user:email': 'your email addresses',
  'read:org': 'your organisations and teams',
  'read:me': 'your profile',
  'read:jira-user': 'your groups and users in Jira',
  api: 'its API as you',
};

function scopeInWords(scope: string): Html {
  const words = Object.hasOwn(WORDS, scope) ? WORDS[scope] : undefined;
  return words === undefined ? html`<code>${scope}</code>` : html`${words} (<code>${scope}</code>)`;
}

function scopeList(scopes: readonly string[]): Html {
  if (scopes.length === 0) return html`nothing beyond your identity`;
  return html`${scopes.map((scope, index) => html`${index === 0 ? '' : ', '}${scopeInWords(scope)}`)}`;
}

function redirectNotice({ redirect, local }: ConsentQuestion): Html {
  const { protocol, host } = new URL(redirect);
  if (!local) return html`<p>Afterwards you are sent to <strong>${host}</strong>.</p>`;
  return html`<p>Afterwards you are sent to a program on this computer (<strong>${protocol === 'http:' ? host : protocol}</strong>).</p>
<p class="notice">Any program on this computer can send such a request under any name. Allow it only if you have just started to sign in from a program that you trust.</p>`;
}

function nameNotice({ client }: ConsentQuestion): Html {
  if (client.kind === 'document') {
    return html`The program is described at <code>${client.id}</code>, and that website vouches for its name.`;
  }
  if (client.kind === 'static') {
    return html`The operator of this server configured this name. Which program uses it cannot be checked.`;
  }
  return html`The program chose this name itself. Nobody has checked it.`;
}

/** Shows why signing in failed. `back` is the client's redirect URI with the error, if the client can be told. */
export function toSignInFailurePage(
  message: string,
  options: PageOptions,
  back: string | null = null,
): Promise<Response> {
  const title = 'Signing in did not work';
  const body = html`<h1>${title}</h1>
<p class="notice" role="alert">${message}</p>
<p>Close this page, and start again from the program that sent you here.</p>
${back === null ? '' : linkBack(back)}`;
  return toSignInPage(title, body, options);
}

function linkBack(location: string): Html {
  return html`<p><a href="${location}">Tell the program</a>. This leads to <strong>${new URL(location).host}</strong>, a website that nobody has checked.</p>`;
}

/** Seconds until the browser returns to the client, which waits for the answer. */
const READING_SECONDS = 15;

/** Tells a person who signed in that they may not use the server. Then the browser returns to the client with the error. */
export function toSignInRefusedPage(
  message: string,
  location: string,
  options: PageOptions,
): Promise<Response> {
  const title = 'You may not use this server';
  const body = html`<h1>${title}</h1>
<p class="notice" role="alert">${message}</p>
<p>Ask the operator of this server for access, or sign in with another account.</p>
<p><a href="${location}">Back to the program</a></p>`;
  const headers = { refresh: `${READING_SECONDS}; url=${location}` };
  return toSignInPage(title, body, { ...options, status: 403, headers });
}

/** Asks before signing out, because a link on another site must not do it. */
export function toSignOutPage(action: string): Promise<Response> {
  const title = 'Sign out?';
  const body = html`<h1>${title}</h1>
<p>Programs that you allowed from this browser have to ask you again.</p>
<form method="post" action="${action}">
<button type="submit">Sign out</button>
</form>`;
  return toSignInPage(title, body);
}

/** Confirms that the user is signed out. */
export function toSignedOutPage(options: PageOptions): Promise<Response> {
  const body = html`<h1>You are signed out</h1><p>You can close this page.</p>`;
  return toSignInPage('Signed out', body, options);
}

function toSignInPage(title: string, body: Html, options?: PageOptions): Promise<Response> {
  return toPage(
    {
      title,
      body: html`<main>
${body}
</main>`,
      style: STYLE,
      forms: true,
    },
    options,
  );
}
