import { expect } from 'vitest';
import type { ClientKind, Session } from './clients.ts';

/** One thing that every server must do for every client; what it returns must be the same everywhere. */
export interface Case {
  readonly name: string;
  readonly run: (session: Session, client: ClientKind) => Promise<unknown>;
}

const TYPES = [
  {
    row_number: 1,
    text: 'Zoë "東京" \'x\'',
    whole: -42,
    safe: 9007199254740991,
    big: '9223372036854775807',
    huge: '-170141183460469231731687303715884105727',
    money: 12345.6,
    wide: '1234567890123456789.0123456789',
    real: 0.1,
    yes: true,
    day: '2024-02-29',
    clock: '23:59:59.5',
    moment: '2024-02-29T12:34:56.789012',
    zoned: '2024-02-29T10:34:56.789Z',
  },
  {
    row_number: 2,
    text: '',
    whole: 0,
    safe: '-9007199254740993',
    big: '-9223372036854775808',
    huge: 0,
    money: -0.05,
    wide: 0,
    real: -1e300,
    yes: false,
    day: '0001-01-01',
    clock: '00:00:00',
    moment: '1969-12-31T23:59:59.999999',
    zoned: '1970-01-01T00:00:00Z',
  },
  {
    row_number: 3,
    text: null,
    whole: null,
    safe: null,
    big: null,
    huge: null,
    money: null,
    wide: null,
    real: null,
    yes: null,
    day: null,
    clock: null,
    moment: null,
    zoned: null,
  },
];

/** The list, replayed on every built artefact with every client. */
export const CASES: readonly Case[] = [
  {
    name: 'the handshake ends with the revision of the client and names the project',
    run: async (session, client) => {
      expect(session.revision).toBe(client.revision);
      expect(session.server).toBe('matrix');
    },
  },
  {
    // Requirements: endpoint.description, endpoint.parameters, modern.order
    name: 'the list has every tool, in one order, with complete schemas',
    run: async (session) => {
      const tools = await session.listTools();
      expect(tools.map((tool) => tool.name)).toEqual([
        'convert',
        'customer',
        'hello',
        'own',
        'rows',
        'slow',
        'spend',
        'types',
      ]);
      expect(tools[1]?.inputSchema).toMatchObject({
        type: 'object',
        properties: { id: { type: 'integer', minimum: 1, description: "The customer's number." } },
        required: ['id'],
      });
      return tools.map(({ name, inputSchema }) => ({ name, inputSchema }));
    },
  },
  {
    // Requirements: service.2
    name: 'a call answers from the database',
    run: async (session) => {
      const result = await session.callTool('customer', { id: 1 });
      expect(JSON.parse(result.text)).toEqual({ id: 1, name: 'Ada', balance: 1200.5 });
      return result.text;
    },
  },
  {
    // Requirements: skill.artefact
    name: 'a skill is read as its author wrote it',
    run: async (session) => {
      const text = await session.read('skill://ask-matrix/SKILL.md');
      expect(text).toBe(
        '---\nname: "ask-matrix"\ndescription: "How to ask: 東京 \\"first\\""\n---\nCall `customer` first.\n',
      );
      return text;
    },
  },
  {
    name: 'parameters that are left out take their defaults',
    run: async (session) => {
      const result = await session.callTool('hello', {});
      expect(JSON.parse(result.text)).toEqual({ greeting: 'Hello, world!' });
      return result.text;
    },
  },
  {
    // Requirements: endpoint.parameters, endpoint.source, endpoint.types
    name: 'parameters of every type arrive as what they are',
    run: async (session) => {
      const loud = await session.callTool('hello', { name: "O'Brien; 東京 $loud", loud: true });
      expect(JSON.parse(loud.text)).toEqual({ greeting: "HELLO, O'BRIEN; 東京 $LOUD!" });
      const spend = await session.callTool('spend', { country: 'DE', least: 62_250.5 });
      expect(JSON.parse(spend.text)).toEqual([
        { name: 'Dora', orders: 500, total: 62375, latest: '2025-12-31' },
      ]);
      return loud.text + spend.text;
    },
  },
  {
    name: 'every basic type is exact',
    run: async (session) => {
      const result = await session.callTool('types', {});
      expect(JSON.parse(result.text)).toEqual(TYPES);
      return result.text;
    },
  },
  {
    // Requirements: endpoint.parameters, error.calls
    name: 'an argument that does not fit is an error that names it',
    run: async (session) => {
      const result = await session.callTool('customer', { id: 'one' });
      expect(result.isError).toBe(true);
      expect(result.text).toMatch(/\bid\b/);
      return result.text;
    },
  },
  {
    name: 'a missing argument is an error that names it',
    run: async (session) => {
      const result = await session.callTool('customer', {});
      expect(result.isError).toBe(true);
      expect(result.text).toMatch(/\bid\b/);
      return result.text;
    },
  },
  {
    // Requirements: large.summary, large.formats
    name: 'a large result is a summary with a link to all rows',
    run: async (session) => {
      const { text, links } = await session.callTool('rows', {});
      expect(text).toContain('20 rows, 2 columns.');
      const parquet = await session.read(links[0] ?? '');
      expect(atob(parquet)).toMatch(/^PAR1.*row 19.*PAR1$/s);
      return { text, parquet };
    },
  },
  {
    name: 'an unknown tool is a protocol error',
    run: async (session) => {
      await expect(session.callTool('nothing_here', {})).rejects.toMatchObject({ code: -32602 });
    },
  },
  {
    name: 'a failing query says nothing about itself',
    run: async (session) => {
      const result = await session.callTool('convert', { text: 'twelve' });
      expect(result.isError).toBe(true);
      expect(result.text).not.toMatch(/twelve|CAST|convert string|Conversion|customers|SELECT|duckdb/i);
      return result.text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>');
    },
  },
  {
    name: 'twenty calls at once each get their own answer',
    run: async (session) => {
      const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
      const results = await Promise.all(names.map((name) => session.callTool('hello', { name })));
      expect(results.map((result) => JSON.parse(result.text).greeting)).toEqual(
        names.map((name) => `Hello, ${name}!`),
      );
    },
  },
];
