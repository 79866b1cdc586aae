import { escapeHtml, type Page } from './answer.ts';
import { STYLE } from './style.ts';

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

/** Runs in the browser as it is. */
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

/** The API for people: `try` sends requests, `read` only tells (spec, `/docs` and `/redoc`). */
export function toDocsPage(described: Json, kind: 'try' | 'read'): Page {
  const { info, paths } = described as {
    readonly info: { readonly title: string; readonly description: string; readonly version: string };
    readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toSection({ path, method, operation, kind })),
  );
  const other = kind === 'try' ? '<a href="redoc">Reference</a>' : '<a href="docs">Try it</a>';
  const body = `<header><h1>${escapeHtml(info.title)}</h1><span class="dim">${escapeHtml(info.version)}</span>
<nav><a href="./">Live</a>${other}<a href="openapi.json">OpenAPI</a></nav></header>
<p>${escapeHtml(info.description)} Every error is <code>{error, message, detail?}</code>.</p>
${operations.join('\n')}`;
  return { title: info.title, body, style: STYLE, script: kind === 'try' ? SCRIPT : '' };
}

interface Shown {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly kind: 'try' | 'read';
}

function toSection({ path, method, operation, kind }: Shown): string {
  const { summary, parameters = [], responses } = operation;
  const { schema } = responses[200].content['application/json'];
  const shape = `<table><thead><tr><th>Field</th><th>Type</th></tr></thead><tbody>${toRows(schema, '')}</tbody></table>`;
  const asked = kind === 'try' ? toForm(path, method, parameters) : toParameterTable(parameters);
  return `<section id="${escapeHtml(path.slice(1).replaceAll('/', '-'))}">
<h2><span class="method ${method}">${method}</span> <code>${escapeHtml(path)}</code></h2>
<p>${escapeHtml(summary)}.</p>
${asked}
${kind === 'read' ? shape : `<details><summary>Answer</summary>${shape}</details>`}
</section>`;
}

function toForm(path: string, method: string, parameters: readonly Parameter[]): string {
  const rows = parameters.map(
    ({ name, schema }) =>
      `<tr><td><label for="${name}">${name}</label></td><td class="dim">${escapeHtml(typeOf(schema))}</td><td><input id="${name}" name="${name}" autocomplete="off"></td></tr>`,
  );
  const table = rows.length === 0 ? '' : `<table><tbody>${rows.join('')}</tbody></table>`;
  return `<form data-path="${escapeHtml(path)}" data-method="${method.toUpperCase()}">${table}<button>Send</button><output></output></form>`;
}

function toParameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, schema }) => row(name, typeOf(schema)));
  return `<table><thead><tr><th>Parameter</th><th>Type</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** One row for each field, those of objects inside under their path. */
function toRows(schema: Json, prefix: string): string {
  const properties = Object.entries((schema.properties ?? {}) as { readonly [name: string]: Json });
  return properties
    .map(([name, property]) => {
      const path = `${prefix}${name}`;
      const item = (property.type === 'array' ? property.items : property) as Json;
      const inside = property.type === 'array' ? `${path}[].` : `${path}.`;
      return row(path, typeOf(property)) + toRows(item, inside);
    })
    .join('');
}

const row = (name: string, type: string) =>
  `<tr><td><code>${escapeHtml(name)}</code></td><td class="dim">${escapeHtml(type)}</td></tr>`;

function typeOf(schema: Json): string {
  const { type, enum: choices, anyOf, const: only, format, minimum, maximum } = schema;
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ');
  if (Array.isArray(choices)) return choices.join(' | ');
  if (only !== undefined) return String(only);
  const range = maximum === undefined ? '' : ` ${String(minimum)} to ${String(maximum)}`;
  return `${String(type ?? 'any')}${format === undefined ? '' : ` (${String(format)})`}${range}`;
}
