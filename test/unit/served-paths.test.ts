import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRoutes } from '../../src/auth/routes.ts';
import { isServedPath, PATHS } from '../../src/served-paths.ts';

it('has every path of sign-in but the callback', () => {
  const paths = [...createRoutes({ callbackPath: '/back', prefix: '/team', sse: true }).keys()];
  expect(paths.filter((path) => !isServedPath(path))).toEqual(['/back']);
});

it('has every path of the app, which names none itself', () => {
  const source = readFileSync('src/app.ts', 'utf8');
  const routes = Array.from(source.matchAll(/hono\.(?:get|post|put|patch|delete|options|all|on)\(([^,]+),/g));
  expect(routes.length).toBeGreaterThan(10);
  const named = Object.keys(PATHS).map((name) => `PATHS.${name}`);
  expect(routes.map(([, path = '']) => path).filter((path) => !named.includes(path))).toEqual([]);
});

it.each(['/callback', '/mcp/callback', '/tokens', '/MCP'])('has no path %s', (path) => {
  expect(isServedPath(path)).toBe(false);
});
