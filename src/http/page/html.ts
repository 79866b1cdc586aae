import { type Connection, connectionsTo, toClientName } from './connect.ts';
import { STYLE } from './style.ts';

/** What the page says about a server. */
export interface About {
  readonly project: string;
  readonly version: string;
  /** Of the MCP endpoint. */
  readonly url: string;
  /** Whether people have to log in. */
  readonly login: boolean;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
}

/** The page for people who open a server's address in a browser. */
export function toHtml(about: About): string {
  const { project, version, url, login } = about;
  const connections = connectionsTo({ name: toClientName(project), url, login });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(project)} – MCP server</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(project)}</h1>
<p class="lead">An MCP server: ${contents(about)} for AI clients.</p>
${block(url, 'address')}
${access(login)}
<h2>Connect a client</h2>
<div class="clients">
${connections.map(toArticle).join('\n')}
</div>
<footer>svc-kit ${escapeHtml(version)}. Any other client of the Model Context Protocol takes the address above (Streamable HTTP).</footer>
</main>
</body>
</html>
`;
}

/** Text as HTML, inside of elements and of quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function contents({ tools, resources, prompts }: About): string {
  const parts = [counted(tools, 'tool'), counted(resources, 'resource'), counted(prompts, 'prompt')];
  const there = parts.filter((part) => !part.startsWith('0 '));
  if (there.length === 0) return 'nothing yet';
  return there.length === 1 ? `${there[0]}` : `${there.slice(0, -1).join(', ')} and ${there.at(-1)}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function access(login: boolean): string {
  return login
    ? '<p class="access closed">You log in: your client opens the login in your browser.</p>'
    : '<p class="access open">No login: everybody who reaches this address may use it.</p>';
}

function toArticle({ client, where, text, link, note }: Connection): string {
  return `<article>
<header><h3>${escapeHtml(client)}</h3>${link ? `<a href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a>` : ''}</header>
<p class="where">${escapeHtml(where)}</p>
${block(text, 'text')}${note ? `\n<p class="note">${escapeHtml(note)}</p>` : ''}
</article>`;
}

/** One click selects the whole of it. */
function block(text: string, name: string): string {
  return `<pre class="${name}"><code>${escapeHtml(text)}</code></pre>`;
}
