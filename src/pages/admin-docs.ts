import { type Html, html } from './html.ts';
import { BUTTON, type HtmlPage } from './page.ts';

type Json = { readonly [key: string]: unknown };

interface Parameter {
  readonly name: string;
  readonly schema: Json;
}

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { readonly schema: Json } } };
  };
}

/** The browser runs this text, which needs no build. */
const SCRIPT = `
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
    const path = form.dataset.path + (query.size > 0 ? '?' + query : '');
    const answer = await fetch(path.slice(1), { method: form.dataset.method });
    const text = await answer.text();
    const output = form.querySelector('output');
    const pre = document.createElement('pre');
    pre.textContent = answer.status + ' ' + path + '\\n' + JSON.stringify(JSON.parse(text), null, 2);
    output.replaceChildren(pre);
  });
}
`;

/** A page about the API: `try` can send requests, `read` is a reference (spec, `/docs` and `/redoc`). */
export function toDocsPage(described: Json, kind: 'try' | 'read'): HtmlPage {
  const { info, paths } = described as {
    readonly info: { readonly title: string; readonly description: string; readonly version: string };
    readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toSection({ path, method, operation, kind })),
  );
  const other = kind === 'try' ? html`<a href="redoc">Reference</a>` : html`<a href="docs">Try it</a>`;
  const body = html`<header><h1>${info.title}</h1><span class="dim">${info.version}</span>
<nav><a href="./">Workbench</a>${other}<a href="openapi.json">OpenAPI</a></nav></header>
<main>
<p>${info.description} Every error is <code>{error, message, detail?}</code>.</p>
${operations}</main>`;
  return { title: info.title, body, style: STYLE, ...(kind === 'try' ? { script: SCRIPT } : {}) };
}

interface Section {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly kind: 'try' | 'read';
}

function toSection({ path, method, operation, kind }: Section): Html {
  const { summary, parameters = [], responses } = operation;
  const { schema } = responses[200].content['application/json'];
  const shape = html`<table><thead><tr><th>Field</th><th>Type</th></tr></thead><tbody>${toRows(schema, '')}</tbody></table>`;
  const input = kind === 'try' ? toForm(path, method, parameters) : toParameterTable(parameters);
  return html`<section id="${path.slice(1).replaceAll('/', '-')}">
<h2><span class="method ${method}">${method}</span> <code>${path}</code></h2>
<p>${summary}.</p>
${input}
${kind === 'read' ? shape : html`<details><summary>Answer</summary>${shape}</details>`}
</section>
`;
}

function toForm(path: string, method: string, parameters: readonly Parameter[]): Html | null {
  const rows = parameters.map(({ name, schema }) => {
    const id = `${path}?${name}`;
    return html`<tr><td><label for="${id}">${name}</label></td><td class="dim">${typeOf(schema)}</td><td><input id="${id}" name="${name}" autocomplete="off"></td></tr>`;
  });
  const table = rows.length === 0 ? null : html`<table><tbody>${rows}</tbody></table>`;
  return html`<form data-path="${path}" data-method="${method.toUpperCase()}">${table}<button>Send</button><output></output></form>`;
}

function toParameterTable(parameters: readonly Parameter[]): Html | null {
  if (parameters.length === 0) return null;
  const rows = parameters.map(({ name, schema }) => row(name, typeOf(schema)));
  return html`<table><thead><tr><th>Parameter</th><th>Type</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** One row for each field. Fields of nested objects are listed by their path. */
function toRows(schema: Json, prefix: string): readonly Html[] {
  const properties = Object.entries((schema.properties ?? {}) as { readonly [name: string]: Json });
  return properties.flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const item = (property.type === 'array' ? property.items : property) as Json;
    const inside = property.type === 'array' ? `${path}[].` : `${path}.`;
    return [row(path, typeOf(property)), ...toRows(item, inside)];
  });
}

const row = (name: string, type: string) =>
  html`<tr><td><code>${name}</code></td><td class="dim">${type}</td></tr>`;

function typeOf(schema: Json): string {
  const { type, enum: choices, anyOf, const: only, format, minimum, maximum } = schema;
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ');
  if (Array.isArray(choices)) return choices.join(' | ');
  if (only !== undefined) return String(only);
  const range = maximum === undefined ? '' : ` ${String(minimum)} to ${String(maximum)}`;
  return `${String(type ?? 'any')}${format === undefined ? '' : ` (${String(format)})`}${range}`;
}

/** The style of the admin pages, for narrow and wide screens. */
const STYLE = `${BUTTON}
:root { --bad: light-dark(#c22f2f, #ff8080); }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; font-size: 15px; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1rem; margin: 0 0 .6rem; }
header { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: baseline; margin-bottom: 1.2rem; }
header nav { margin-left: auto; display: flex; gap: 1rem; align-items: center; }
.dim { color: var(--soft); } .bad { color: var(--bad); } .good { color: var(--good); } .warn { color: var(--warn); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin-bottom: 1rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); } th, td { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } td.number, th.number { text-align: right; }
button { padding: .3rem .9rem; }
button:disabled { opacity: .5; cursor: default; }
code { padding: .1rem .3rem; background: var(--code); border-radius: .3rem; }
pre { margin: .5rem 0; }
input { font: inherit; width: 100%; padding: .2rem .4rem; border: 1px solid var(--line); border-radius: .3rem; background: var(--back); color: var(--ink); }
.method { font: 600 12px ui-monospace, monospace; text-transform: uppercase; color: var(--card); background: var(--good); border-radius: .3rem; padding: .15rem .45rem; }
.method.post { background: var(--warn); } details { margin-top: .6rem; } summary { cursor: pointer; color: var(--soft); }
`;
