import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../../src/app.ts';
import { LOCAL_ACCESS } from '../../../../src/http/access.ts';
import { type Served, serveTree, type Tree } from '../../call/project.ts';
import { legacy, post } from '../fixture.ts';

const ASK = `---
# Comments and flow style are not what clients read.
name: ask-orders
description: >-
  How to ask about orders: "total" is in euros, # and 'open' means unpaid.
metadata: { owner: sales, "since": "2026" }
tags: [orders]
---
# Orders

Call \`orders\` with a year first.
`;
const GUIDE = 'Zürich counts as "Zurich".\r\n';

const TREE: Tree = {
  'tools/orders.yml': 'tool: { name: orders, tags: [orders], source: { code: SELECT 1 AS one } }\n',
  'skills/README.md': 'For people.\n',
  'skills/ask-orders.md': ASK,
  'skills/close-books/SKILL.md': `---
name: close-books
description: How the month is closed
scopes: [books]
---
Read references/Q&A.md first.
`,
  'skills/close-books/references/Q&A.md': GUIDE,
  'skills/for-staff.md': `---
name: for-staff
description: What only staff reads
policies:
  input:
    - { condition: "user.role == 'anonymous'", action: deny, reason: Staff only }
---
Internal.
`,
  'skills/later.md': '---\nname: later\ndescription: Not yet\nenabled: false\n---\nSoon.\n',
};

let served: Served;
beforeAll(async () => {
  served = await serveTree(TREE, '');
});
afterAll(() => served.close());

function appOf(scopes: readonly string[] | null, pageSize?: number): App {
  return createApp({
    runtime: () => served.runtime,
    version: '1.2.3',
    stateless: false,
    log: served.runtime.log,
    access: LOCAL_ACCESS,
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(scopes === null ? {} : { authenticate: async () => ({ user: null, scopes }) }),
  });
}

const ERAS = ['auto', 'legacy'] as const;

async function connect(app: App, mode: (typeof ERAS)[number]): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, enforceStrictCapabilities: true },
  );
  const fetch = (url: string | URL | Request, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    headers.set('host', 'localhost');
    return app.fetch(new Request(url, { ...init, headers }));
  };
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
  return client;
}

describe.each(ERAS)("the SDK's client of skills, %s", (mode) => {
  // Requirements: skill.list, skill.verified
  it('lists the skills, and reads and verifies every file', async () => {
    const skills = new SkillsClient(await connect(appOf(null), mode));
    expect(skills.supported).toBe(true);
    const { skills: listed } = await skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://ask-orders/SKILL.md',
      'skill://close-books/SKILL.md',
      'skill://for-staff/SKILL.md',
    ]);
    const [ask, close] = listed;
    if (ask === undefined || close === undefined) throw new Error('no skills');
    expect(ask.frontmatter).toEqual({
      name: 'ask-orders',
      description: `How to ask about orders: "total" is in euros, # and 'open' means unpaid.`,
      metadata: { owner: 'sales', since: '2026' },
    });
    const main = await skills.read(ask);
    expect(main).toMatchObject({ verified: true, mimeType: 'text/markdown' });
    expect(main.body).toBe('# Orders\n\nCall `orders` with a year first.\n');
    const guide = await skills.read(close, 'references/Q&A.md');
    expect(guide).toMatchObject({ verified: true, text: GUIDE });
  });

  // Requirements: skill.get
  it('gets one skill, and an error for another address', async () => {
    const skills = new SkillsClient(await connect(appOf(null), mode));
    const { skill } = await skills.get('skill://ask-orders/SKILL.md');
    expect(skill.frontmatter.name).toBe('ask-orders');
    for (const uri of ['skill://nobody/SKILL.md', 'skill://later/SKILL.md']) {
      await expect(skills.get(uri)).rejects.toMatchObject({ code: -32602 });
    }
  });

  it('turns the pages of a long list', async () => {
    const skills = new SkillsClient(await connect(appOf(null, 1), mode));
    expect((await skills.list()).skills).toHaveLength(3);
  });

  // Requirements: skill.rules
  it('sees and reads only the skills whose scopes it holds', async () => {
    const [without, holding] = await Promise.all(
      [[], ['books']].map(async (scopes) => new SkillsClient(await connect(appOf(scopes), mode))),
    );
    const names = async (skills: SkillsClient | undefined) =>
      (await skills?.list())?.skills.map(({ frontmatter }) => frontmatter.name);
    expect(await names(without)).toEqual(['ask-orders', 'for-staff']);
    expect(await names(holding)).toEqual(['ask-orders', 'close-books', 'for-staff']);
    await expect(without?.get('skill://close-books/SKILL.md')).rejects.toThrow('Insufficient scope');
    expect((await holding?.get('skill://close-books/SKILL.md'))?.skill.frontmatter.name).toBe('close-books');
  });

  // Requirements: skill.rules
  it('is denied a reading by a policy, which is recorded', async () => {
    const client = await connect(appOf(null), mode);
    const before = served.records.length;
    await expect(client.readResource({ uri: 'skill://for-staff/SKILL.md' })).rejects.toThrow('Staff only');
    await client.readResource({ uri: 'skill://close-books/references/Q%26A.md' });
    expect(served.records.slice(before).map(({ kind, name, status }) => [kind, name, status])).toEqual([
      ['resource', 'for-staff', 'error'],
      ['resource', 'close-books/references/Q&A.md', 'success'],
    ]);
  });

  // Requirements: skill.list
  it('finds the main files, and no others, among the resources', async () => {
    const { resources } = await (await connect(appOf(null), mode)).listResources();
    expect(resources.map(({ uri, name, mimeType }) => [uri, name, mimeType])).toEqual([
      ['skill://ask-orders/SKILL.md', 'ask-orders', 'text/markdown'],
      ['skill://close-books/SKILL.md', 'close-books', 'text/markdown'],
      ['skill://for-staff/SKILL.md', 'for-staff', 'text/markdown'],
    ]);
  });

  // Requirements: toolset.instructions
  it('reads the number of skills in the instructions', async () => {
    const client = await connect(appOf(null), mode);
    expect(client.getInstructions()).toBe('demo has 1 tool and 3 skills. By tag: orders (2).');
  });
});

describe('a toolset', () => {
  // Requirements: skill.rules
  it('has the skills with its tags', async () => {
    const { body } = legacy('skills/list', {});
    const request = post(body);
    const answer = await appOf(null).fetch(new Request(`${request.url}?tags=orders`, request));
    const { result } = (await answer.json()) as { result: { skills: { uri: string }[] } };
    expect(result.skills.map(({ uri }) => uri)).toEqual(['skill://ask-orders/SKILL.md']);
  });
});

describe('a project without skills', () => {
  it('declares no extension and has no such methods', async () => {
    const plain = await serveTree(
      { 'tools/one.yml': 'tool: { name: one, source: { code: SELECT 1 } }\n' },
      '',
    );
    try {
      const app = createApp({
        runtime: () => plain.runtime,
        version: '1',
        stateless: false,
        log: plain.runtime.log,
        access: LOCAL_ACCESS,
      });
      const client = await connect(app, 'auto');
      expect(client.getServerCapabilities()).not.toHaveProperty('extensions');
      const answer = await app.fetch(post(legacy('skills/list', {}).body));
      expect(await answer.json()).toMatchObject({ error: { code: -32601 } });
    } finally {
      await plain.close();
    }
  });
});
