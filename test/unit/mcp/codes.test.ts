import { expect, it } from 'vitest';
import { ERRORS } from '../../../src/errors.ts';

/** JSON-RPC 2.0, and those that MCP 2026-07-28 defines from -32020 on. */
const KNOWN = [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022];

// Requirements: mcp.codes
it('every code is one of JSON-RPC or of the protocol', () => {
  const codes = Object.values(ERRORS).map(({ rpc }): number => rpc);
  expect(codes.filter((code) => !KNOWN.includes(code))).toEqual([]);
});
