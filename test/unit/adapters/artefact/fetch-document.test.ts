import { afterEach, describe, expect, it, vi } from 'vitest';
import { fetchDocument } from '../../../../adapters/artefact/fetch-document.ts';

afterEach(() => void vi.unstubAllGlobals());

const signal = new AbortController().signal;

/** Fetches a document from a stand-in for its server. */
async function fetchFrom(answer: Response) {
  vi.stubGlobal('fetch', async () => answer);
  return fetchDocument(new URL('https://app.example/c.json'), signal);
}

describe('a document', () => {
  it('is fetched with its time', async () => {
    const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=60' };
    expect(await fetchFrom(new Response('{"client_name":"é"}', { headers }))).toEqual({
      text: '{"client_name":"é"}',
      cacheControl: 'max-age=60',
    });
  });

  it.each([
    ['an answer 404', new Response('{}', { status: 404 }), 'client_invalid'],
    ['a redirect', new Response(null, { status: 302, headers: { location: '/' } }), 'client_invalid'],
    ['a page', new Response('{}', { headers: { 'content-type': 'text/html' } }), 'client_invalid'],
    ['an answer 503', new Response('', { status: 503 }), 'login_unavailable'],
    ['an answer 403', new Response('', { status: 403 }), 'login_unavailable'],
  ])('is not %s', async (_name, answer, code) => {
    await expect(fetchFrom(answer)).rejects.toMatchObject({ code });
  });

  it.each(['127.0.0.1', 'localhost', 'intranet', 'wiki.internal', '[::1]'])(
    'is never asked for at %s',
    async (host) => {
      const asked = vi.fn();
      vi.stubGlobal('fetch', asked);
      await expect(fetchDocument(new URL(`https://${host}/c.json`), signal)).rejects.toMatchObject({
        code: 'client_invalid',
      });
      expect(asked).not.toHaveBeenCalled();
    },
  );
});
