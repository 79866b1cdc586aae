import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serveTree } from '../call/project.ts';
import { call, createDesk, type Desk, grantTo, tokens } from './fixture.ts';

const TREE = {
  'svc-site.yml': 'svc: 1\nproject: demo\nprofile: default\nsql_tools: { enabled: true }\n',
  'tools/who.yml': `svc: 1
tool:
  name: who
  return: { type: object }
  source:
    code: >
      SELECT get_user_external_token() AS token, get_username() AS username, get_user_provider() AS provider,
        get_user_email() AS email, get_request_header('X-Probe') AS probe, get_request_header('Authorization') AS own,
        get_request_headers_json() AS headers
`,
  'tools/team.yml': `svc: 1
tool:
  name: team
  return: { type: object }
  source: { code: SELECT 1 AS n }
  policies:
    input: [{ condition: '!user.email.endsWith("@example.com")', action: deny, reason: not of the team }]
`,
};

let served: Served;
beforeAll(async () => {
  served = await serveTree(TREE, 'CREATE TABLE t AS SELECT 1 AS n');
});
afterAll(() => served.close());

const create = (given: Parameters<typeof createDesk>[0] = {}) =>
  createDesk({ runtime: served.runtime, ...given });

async function ask(desk: Desk, token: string, name: string, headers: Record<string, string> = {}) {
  const response = await desk.fetch('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  });
  const text = await response.text();
  const { result } = JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?data: /, '')) as {
    result?: { structuredContent?: Record<string, unknown>; isError?: boolean };
  };
  return { status: response.status, ...result?.structuredContent, failed: result?.isError ?? false };
}

const GRANTS = grantTo({ emails: ['ada@example.com'] }, 'team:read', 'team:write');

describe('what another server of this kind gets wrong', () => {
  it('D8: required scopes let those in who hold them', async () => {
    const desk = create({ auth: { grants: GRANTS, required_scopes: ['team:read', 'team:write'] } });
    const { access_token } = await tokens(desk);
    expect(await ask(desk, access_token, 'who')).toMatchObject({ status: 200, username: 'ada' });
  });

  // Requirements: auth.2, sql.get_request_header, sql.get_request_headers_json, sql.get_user_email
  // Requirements: sql.get_user_external_token, sql.get_user_provider, sql.get_username, sql.null
  it('D9: SQL gets the token of the identity provider, and the facts about the person', async () => {
    const desk = create();
    const { access_token } = await tokens(desk);
    const asked: Record<string, unknown> = await ask(desk, access_token, 'who', { 'x-probe': 'yes' });
    const { headers, ...known } = asked;
    expect(JSON.parse(String(headers))).toEqual({
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
      host: 'svc.example',
      'x-probe': 'yes',
    });
    expect(known).toMatchObject({
      token: expect.stringMatching(/^ghu_/),
      username: 'ada',
      provider: 'github',
      email: 'ada@example.com',
      probe: 'yes',
      own: `Bearer ${access_token}`,
    });
  });

  it('D9: SQL is kept from credentials where that is asked for', async () => {
    const desk = create({ auth: { hide_credential_headers: true } });
    const { access_token } = await tokens(desk);
    const headers = { 'x-probe': 'yes' };
    expect(await ask(desk, access_token, 'who', headers)).toMatchObject({
      username: 'ada',
      probe: 'yes',
      own: null,
    });
  });

  // Requirements: auth.2, provider-detail.domain
  it('D9: policies know the person, and never the token', async () => {
    const desk = create();
    const { access_token } = await tokens(desk);
    expect(await ask(desk, access_token, 'team')).toMatchObject({ status: 200, failed: false });
    desk.idp.user = { id: 2, login: 'eve', name: 'Eve', email: 'eve@elsewhere.example' };
    const { access_token: other } = await tokens(desk);
    expect(await ask(desk, other, 'team')).toMatchObject({ status: 200, failed: true });
  });

  // Requirements: legacy.session.identity
  it('D10: who calls is the bearer of the token, whatever session is named', async () => {
    const desk = create({ app: { stateless: false } });
    const ada = await tokens(desk);
    desk.idp.user = { id: 2, login: 'eve', name: 'Eve', email: 'eve@elsewhere.example' };
    const eve = await tokens(desk);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const begun = await desk.fetch('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${ada.access_token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    await begun.text();
    const session = begun.headers.get('mcp-session-id') ?? 'of-ada';
    const headers = { 'mcp-session-id': session };
    const foreign = await ask(desk, eve.access_token, 'who', headers);
    expect(foreign).not.toMatchObject({ username: 'ada' });
    expect(await ask(desk, eve.access_token, 'who')).toMatchObject({ username: 'eve' });
    expect(await ask(desk, ada.access_token, 'who', headers)).toMatchObject({ username: 'ada' });
  });

  // Requirements: auth.3
  it('the built-in SQL tools need a token too', async () => {
    const desk = create();
    expect((await call(desk, null, 'list_tables')).status).toBe(401);
    const { access_token } = await tokens(desk);
    expect((await ask(desk, access_token, 'list_tables')).status).toBe(200);
  });

  // Requirements: sql.null
  it('the functions answer NULL where nobody is authenticated', async () => {
    const { createApp } = await import('../../../src/app.ts');
    const { OPEN_ACCESS } = await import('../../../src/http/access.ts');
    const open = {
      runtime: () => served.runtime,
      version: '1',
      stateless: true,
      log: () => {},
      access: OPEN_ACCESS,
    };
    const app = createApp(open);
    const desk = {
      fetch: (path: string, init: RequestInit) => app.fetch(new Request(`https://svc.example${path}`, init)),
    };
    expect(await ask(desk as unknown as Desk, 'not-looked-at', 'who')).toMatchObject({
      status: 200,
      token: null,
      username: null,
      provider: null,
      email: null,
      probe: null,
      own: null,
      headers: null,
    });
  });
});
