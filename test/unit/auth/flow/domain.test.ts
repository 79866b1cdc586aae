import { expect, onTestFinished, test } from 'vitest';
import { createGoogleIdp } from '../../../idp/google.ts';
import { serveTree } from '../../call/project.ts';
import { callWith, signInStrictly } from './peers.ts';
import { startServer } from './server.ts';

const TEAM = `svc: 1
tool:
  name: team
  policies:
    input: [{ condition: '!user.email.endsWith("@example.com")', action: deny, reason: Not of the team. }]
  source: { code: SELECT 1815 AS year }
`;

// Requirements: provider-detail.domain
test('an input policy on the e-mail address restricts the users of Google to one domain', async () => {
  const idp = await createGoogleIdp();
  const served = await serveTree({ 'tools/team.yml': TEAM }, 'SELECT 1');
  const server = await startServer({
    served,
    auth: (callback) => {
      idp.client.redirects.push(callback);
      const { id: client_id, secret: client_secret } = idp.client;
      const urls = { auth_url: `${idp.origin}/o/oauth2/v2/auth`, token_url: `${idp.origin}/token` };
      return { provider: { id: 'google', ...urls, client_id, client_secret, callback_path: '/callback' } };
    },
  });
  onTestFinished(async () => {
    for (const one of [server, served, idp]) await one.close();
  });
  const answerTo = async (user: string) => {
    const { tokens } = await signInStrictly(server.mcp, { user });
    return callWith(server.mcp, tokens.access_token, 'team');
  };
  expect(await answerTo('ada')).toMatchObject({ text: expect.stringContaining('1815') });
  const refused = await answerTo('bob');
  expect(refused.text).toContain('Not of the team.');
  expect(refused.text).not.toContain('1815');
});
