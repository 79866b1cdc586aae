import { type Connection, connectionsTo, toClientName } from './connect.ts';
import { type Html, html } from './html.ts';
import { toPage, wantsHtml } from './page.ts';

const STYLE = `
main { max-width: 68rem; margin: 0 auto; padding: clamp(1.25rem, 5vw, 4rem) clamp(1rem, 4vw, 2.5rem) 3rem; }
h1 { margin: 0 0 .25rem; font-size: clamp(1.9rem, 5vw, 2.8rem); }
h2 { margin: 2.75rem 0 1rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1.05rem; }
p, pre { margin: 0; }
.lead { color: var(--soft); font-size: 1.1rem; }
.address { margin: 1.5rem 0 .6rem; }
.access { font-weight: 600; }
.access.open { color: var(--warn); }
.access.closed { color: var(--good); }
.clients { columns: 2 25rem; column-gap: 1rem; }
article { break-inside: avoid; margin: 0 0 1rem; padding: 1.1rem 1.25rem 1.25rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .7rem; }
article header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; flex-wrap: wrap; }
.where, .note, footer { color: var(--soft); font-size: .9rem; }
pre { border: 1px solid var(--line); }
article p, article pre { margin-top: .5rem; }
pre code { user-select: all; }
dt { margin-top: .6rem; overflow-wrap: anywhere; } dd { margin: 0; color: var(--soft); }
footer { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); }
`;

/** The facts about a server that its page shows. */
interface LandingDetails {
  readonly project: string;
  readonly version: string;
  /** The address of the MCP endpoint. */
  readonly url: string;
  /** Whether users have to sign in. */
  readonly login: boolean;
  /** Whether callers need an API key and nobody can sign in. */
  readonly keysOnly: boolean;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  /** The endpoints that anonymous callers may see. */
  readonly endpoints: readonly ListedEndpoint[];
}

/** An endpoint as clients list it. */
interface ListedEndpoint {
  /** The name of a tool or a prompt, the URI of a resource. */
  readonly name: string;
  readonly description: string;
}

/** Answers `GET /` with a page for browsers, or with the same facts as JSON for programs. */
export async function toLandingResponse(request: Request, about: LandingDetails): Promise<Response> {
  const headers = {
    vary: 'Accept',
    // The page shows the address that this client used, so caches must not give it to another client.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  if (!wantsHtml(request.headers.get('accept'))) return Response.json(toJson(about), { headers });
  return toPage(
    { title: `${about.project} – MCP server`, body: toBody(about), style: STYLE },
    { headers: { vary: 'Accept' } },
  );
}

function toJson({ project, version, url, login, keysOnly, tools, resources, prompts }: LandingDetails) {
  const authentication = keysOnly ? 'api_key' : login ? 'oauth' : 'none';
  const mcp = { url, transport: 'streamable-http', authentication };
  return { name: project, version, mcp, tools, resources, prompts };
}

function toBody(about: LandingDetails): Html {
  const { project, version, url, login, keysOnly } = about;
  const connections = connectionsTo({ name: toClientName(project), url, login: login && !keysOnly });
  return html`<main>
<h1>${project}</h1>
<p class="lead">An MCP server: ${contents(about)} for AI clients.</p>
${block(url, 'address')}
${access(about)}
${listed(about.endpoints)}<h2>Connect a client</h2>
<div class="clients">
${connections.map(toArticle)}</div>
<footer>svc-kit ${version}. Any other MCP client connects to the address above (Streamable HTTP).</footer>
</main>`;
}

function listed(endpoints: readonly ListedEndpoint[]): Html | null {
  if (endpoints.length === 0) return null;
  const rows = endpoints.map(
    ({ name, description }) => html`<dt><code>${name}</code></dt><dd>${description}</dd>`,
  );
  return html`<h2>What it can do</h2>
<dl>${rows}</dl>
`;
}

function contents({ tools, resources, prompts }: LandingDetails): string {
  const parts = [counted(tools, 'tool'), counted(resources, 'resource'), counted(prompts, 'prompt')];
  const present = parts.filter((part) => !part.startsWith('0 '));
  if (present.length === 0) return 'nothing yet';
  return present.length === 1 ? `${present[0]}` : `${present.slice(0, -1).join(', ')} and ${present.at(-1)}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function access({ login, keysOnly }: LandingDetails): Html {
  if (keysOnly) {
    return html`<p class="access closed">API key required: send it as <code>Authorization: Bearer</code>.</p>`;
  }
  return login
    ? html`<p class="access closed">Login required: your client opens it in your browser.</p>`
    : html`<p class="access open">No login: anyone who reaches this address can use the server.</p>`;
}

function toArticle({ client, where, text, link, note }: Connection): Html {
  return html`<article>
<header><h3>${client}</h3>${link && html`<a href="${link.href}">${link.label}</a>`}</header>
<p class="where">${where}</p>
${block(text, 'text')}
${note && html`<p class="note">${note}</p>`}
</article>
`;
}

/** A block whose text one click selects. */
function block(text: string, name: string): Html {
  return html`<pre class="${name}"><code>${text}</code></pre>`;
}
