import type { Browser, Page } from 'playwright-core';
import { toOpenApi } from '../../src/admin/openapi.ts';
import { toDocsPage } from '../../src/pages/admin-docs.ts';
import { toErrorPage } from '../../src/pages/error.ts';
import { toLandingResponse } from '../../src/pages/landing.ts';
import { toPage } from '../../src/pages/page.ts';
import {
  toConsentPage,
  toSignedOutPage,
  toSignInFailurePage,
  toSignInRefusedPage,
  toSignOutPage,
} from '../../src/pages/sign-in.ts';

const HOME = 'https://shop.example';
const REDIRECT = 'http://127.0.0.1:33418/callback';

/** Every page that a server sends to browsers, by name. */
export const SERVER_PAGES: { readonly [name: string]: () => Promise<Response> } = {
  landing: () =>
    toLandingResponse(new Request(HOME, { headers: { accept: 'text/html' } }), {
      project: 'shop',
      version: '1.0.0',
      url: `${HOME}/mcp`,
      login: true,
      keysOnly: false,
      tools: 2,
      resources: 1,
      prompts: 0,
      endpoints: [
        { name: 'opening_hours', description: 'When each shop is open, with holidays' },
        { name: 'revenue_by_month', description: 'Revenue of each month in euros' },
        { name: 'shop://contact', description: 'Address, telephone and email of the shops' },
      ],
    }),
  consent: () =>
    toConsentPage({
      project: 'shop',
      client: { id: 'c-1', name: 'Claude', kind: 'registered' },
      redirect: REDIRECT,
      local: true,
      scopes: ['svc:access', 'shop.write'],
      provider: { title: 'Google', scopes: ['openid', 'email'] },
      action: `${HOME}/authorize`,
      ticket: 'sealed',
      cookies: [],
    }),
  'sign-in-failed': () =>
    toSignInFailurePage('The sign-in took longer than ten minutes.', { status: 400 }, REDIRECT),
  'not-allowed': () =>
    toSignInRefusedPage('ada@example.com is not on the list of this server.', `${HOME}/back`, {}),
  'sign-out': () => toSignOutPage(`${HOME}/logout`),
  'signed-out': () => toSignedOutPage({}),
  'not-found': () =>
    toErrorPage({ status: 404, message: 'There is no page /orders on this server.', home: HOME }, {}),
  'admin-api': () => toPage(toDocsPage(toOpenApi(), 'try')),
  'admin-reference': () => toPage(toDocsPage(toOpenApi(), 'read')),
};

interface Screen {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height?: number;
}

/** Opens a page with the headers that its server sends, and notes every complaint of the browser. */
export async function openServerPage(
  browser: Browser,
  name: string,
  { colorScheme, width, height = 760 }: Screen,
): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height } });
  const complaints: string[] = [];
  const response = await SERVER_PAGES[name]?.();
  if (response === undefined) throw new Error(`There is no page ${name}.`);
  // An address outside of the page is a complaint; the browser itself asks for an icon.
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/favicon.ico') return route.fulfill({ status: 204 });
    if (pathname !== '/') complaints.push(`asks for ${pathname}`);
    const headers = Object.fromEntries([...response.headers].filter(([key]) => key !== 'refresh'));
    return route.fulfill({ status: 200, headers, body: await response.clone().text() });
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${HOME}/`);
  return { page, complaints };
}
