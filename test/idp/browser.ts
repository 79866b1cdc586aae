/** A page that a browser got, after every redirect. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly forms: readonly Form[];
}

/** A form, its fields as they stand. */
export interface Form {
  readonly action: URL;
  readonly method: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Names of buttons and their values. */
  readonly buttons: readonly (readonly [name: string, value: string])[];
}

/** Follows redirects, keeps cookies, submits forms. */
export interface Browser {
  /** Cookies by host name, because cookies do not know ports. */
  readonly cookies: ReadonlyMap<string, ReadonlyMap<string, Cookie>>;
  open(url: URL | string): Promise<Page>;
  /** Sends a form; fields of the same name are replaced, null leaves one out. */
  submit(page: Page, fields?: Readonly<Record<string, string | null>>, form?: number): Promise<Page>;
}

export interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
}

export interface BrowserOptions {
  /** A redirect to where this is true is not followed: it ends at somebody who is no server. */
  readonly stopAt?: (url: URL) => boolean;
}

const MAX_REDIRECTS = 20;

/** A browser as far as logging in needs one. */
export function createBrowser({ stopAt = () => false }: BrowserOptions = {}): Browser {
  const cookies = new Map<string, Map<string, Cookie>>();
  const load = async (start: URL, init: RequestInit): Promise<Page> => {
    let [url, next] = [start, init];
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      const headers = { ...(next.headers as Record<string, string>), cookie: cookieHeader(cookies, url) };
      const response = await fetch(url, { ...next, headers, redirect: 'manual' });
      keepCookies(cookies, url, response.headers);
      const location = response.headers.get('location');
      if (location === null || response.status < 300 || response.status > 399) return toPage(url, response);
      const target = new URL(location, url);
      if (stopAt(target)) return { ...(await toPage(url, response)), url: target };
      next = response.status === 307 || response.status === 308 ? next : { headers: {} };
      url = target;
    }
    throw new Error(`too many redirects from ${start.href}`);
  };
  return {
    cookies,
    open: (url) => load(new URL(url), { headers: {} }),
    submit: (page, fields = {}, form = 0) => {
      const found = page.forms[form];
      if (found === undefined) throw new Error(`no form on ${page.url.href} (${page.status}): ${page.text}`);
      const body = toBody(found, fields);
      if (found.method === 'get') return load(new URL(`?${body}`, found.action), { headers: {} });
      const origin = page.url.origin;
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin, referer: page.url.href };
      return load(found.action, { method: 'POST', body: body.toString(), headers });
    },
  };
}

function toBody(form: Form, changes: Readonly<Record<string, string | null>>): URLSearchParams {
  const body = new URLSearchParams(
    form.fields.filter(([name]) => !(name in changes)).map((pair) => [...pair]),
  );
  for (const [name, value] of Object.entries(changes)) if (value !== null) body.append(name, value);
  return body;
}

function cookieHeader(cookies: ReadonlyMap<string, ReadonlyMap<string, Cookie>>, url: URL): string {
  return [...(cookies.get(url.hostname) ?? [])]
    .filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')))
    .map(([name, { value }]) => `${name}=${value}`)
    .join('; ');
}

function keepCookies(cookies: Map<string, Map<string, Cookie>>, url: URL, headers: Headers): void {
  const jar = cookies.get(url.hostname) ?? new Map<string, Cookie>();
  cookies.set(url.hostname, jar);
  for (const line of headers.getSetCookie()) {
    const [pair = '', ...rest] = line.split(';');
    const [name = '', value = ''] = [
      pair.slice(0, pair.indexOf('=')).trim(),
      pair.slice(pair.indexOf('=') + 1),
    ];
    const attributes = rest.join(';');
    const path = /(?:^|;)\s*path=([^;]*)/i.exec(attributes)?.[1] ?? '/';
    const [age, expires] = [/max-age=(-?\d+)/i.exec(attributes), /expires=([^;]+)/i.exec(attributes)];
    const gone = age ? Number(age[1]) <= 0 : expires && Date.parse(expires[1] ?? '') <= Date.now();
    if (gone) jar.delete(name);
    else jar.set(name, { value, path, attributes });
  }
}

async function toPage(url: URL, response: Response): Promise<Page> {
  const text = await response.text();
  const forms = [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(
    ([, head = '', inner = '']): Form => ({
      action: new URL(attribute(head, 'action') ?? url.href, url),
      method: (attribute(head, 'method') ?? 'get').toLowerCase(),
      ...toFields(inner),
    }),
  );
  return { url, status: response.status, headers: response.headers, text, forms };
}

function toFields(html: string): Pick<Form, 'fields' | 'buttons'> {
  const fields: [string, string][] = [];
  const buttons: [string, string][] = [];
  for (const [, tag = '', head = ''] of html.matchAll(/<(input|button)\b([^>]*)>/gi)) {
    const [name, type] = [attribute(head, 'name'), attribute(head, 'type') ?? 'text'];
    if (name === null) continue;
    const value = attribute(head, 'value') ?? (type === 'checkbox' ? 'on' : '');
    if (tag.toLowerCase() === 'button' || type === 'submit') buttons.push([name, value]);
    else if (type !== 'checkbox' || /\schecked\b/i.test(head)) fields.push([name, value]);
  }
  return { fields, buttons };
}

function attribute(head: string, name: string): string | null {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(head);
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? null : toText(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
};

function toText(text: string): string {
  return text.replace(/&(#?\w+);/g, (whole, name: string) => {
    const code = /^#x([0-9a-f]+)$/i.exec(name)?.[1];
    const decimal = /^#(\d+)$/.exec(name)?.[1];
    if (code) return String.fromCodePoint(Number.parseInt(code, 16));
    return decimal ? String.fromCodePoint(Number(decimal)) : (ENTITIES[name] ?? whole);
  });
}
