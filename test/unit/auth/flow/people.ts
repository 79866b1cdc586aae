import { type Browser, createBrowser, type Page } from '../../../idp/browser.ts';

/** Where clients wait for their answer; nobody listens there. */
export const REDIRECT = 'http://127.0.0.1:1/back';

/** How somebody acts on the pages of our server and of the provider. */
export interface Person {
  readonly user?: string;
  readonly atProvider?: 'allow' | 'deny';
}

/** From a client's authorization address, through every page, back to the client. */
export async function browse(url: URL, { user = 'ada', atProvider = 'allow' }: Person = {}): Promise<URL> {
  const back = url.searchParams.get('redirect_uri') ?? REDIRECT;
  const browser = createBrowser({ stopAt: ({ href }) => href.startsWith(back) });
  let page = await browser.open(url);
  for (let step = 0; step < 6 && !page.url.href.startsWith(back); step += 1) {
    page = await act(browser, page, { user, atProvider });
  }
  if (page.url.href.startsWith(back)) return page.url;
  throw new Error(`stuck at ${page.url.href} (${page.status}): ${page.text}`);
}

async function act(browser: Browser, page: Page, { user = '', atProvider = 'allow' }: Person): Promise<Page> {
  // a page that leads on by itself, after some seconds
  const onward = /url=(.+)$/.exec(page.headers.get('refresh') ?? '')?.[1];
  if (onward !== undefined) return { ...page, url: new URL(onward) };
  const names = page.forms[0]?.fields.map(([name]) => name) ?? [];
  if (names.includes('ticket')) return browser.submit(page, { answer: 'allow' });
  const away = /href="([^"]+\/abort)"/.exec(page.text)?.[1];
  if (away !== undefined && atProvider === 'deny') return browser.open(new URL(away, page.url));
  if (names.includes('login')) return browser.submit(page, { login: user, password: 'secret' });
  if (names.includes('username')) return browser.submit(page, { username: user, password: 'secret' });
  return names.includes('prompt') ? browser.submit(page) : browser.submit(page, { decision: atProvider });
}
