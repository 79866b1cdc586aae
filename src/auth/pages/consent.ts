import type { Client } from '../clients/model.ts';
import { isLocal } from '../clients/redirect.ts';
import { type Html, html } from './html.ts';
import { toPage } from './page.ts';

/** What a person is asked to agree to (MCP Security Best Practices, "Confused Deputy Problem"). */
export interface ConsentQuestion {
  readonly project: string;
  readonly client: Pick<Client, 'id' | 'name' | 'kind'>;
  readonly redirect: string;
  readonly scopes: readonly string[];
  readonly provider: { readonly id: string; readonly scopes: readonly string[] };
  /** Where the answer goes. */
  readonly action: string;
  /** Sealed; comes back with the answer. */
  readonly ticket: string;
  readonly cookies: readonly string[];
}

/** The page that asks whether a client may have tokens. */
export function toConsentPage(question: ConsentQuestion): Promise<Response> {
  const { project, client, scopes, provider, action, ticket, cookies } = question;
  const title = `Allow ${client.name} to use ${project}?`;
  const body = html`<h1>Allow <strong>${client.name}</strong> to use <strong>${project}</strong>?</h1>
<p>It asks for:</p>
<ul>${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>
<p>You sign in with <strong>${provider.id}</strong>, which will be asked for: ${listOf(provider.scopes)}.</p>
${whereTo(question)}
<p><small>${whoSaysSo(question)}</small></p>
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<button class="main" type="submit" name="answer" value="allow">Allow and sign in</button>
<button type="submit" name="answer" value="deny">Cancel</button>
</form>`;
  return toPage(title, body, { cookies });
}

function listOf(scopes: readonly string[]): Html {
  if (scopes.length === 0) return html`nothing beyond who you are`;
  return html`${scopes.map((scope, index) => html`${index === 0 ? '' : ', '}<code>${scope}</code>`)}`;
}

function whereTo({ redirect }: ConsentQuestion): Html {
  if (!isLocal(redirect)) {
    return html`<p>Afterwards you are sent to <strong>${new URL(redirect).host}</strong>.</p>`;
  }
  return html`<p>Afterwards you are sent to a program on this computer (<strong>${new URL(redirect).host}</strong>).</p>
<p class="notice">Any program on this computer can ask like this under any name. Allow it only if you have just started to sign in from a program that you trust.</p>`;
}

function whoSaysSo({ client }: ConsentQuestion): Html {
  if (client.kind === 'document') {
    return html`The program is described at <code>${client.id}</code>; that address stands for its name.`;
  }
  return html`The program chose its name itself, and nobody has checked it.`;
}
