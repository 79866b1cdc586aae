import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Artefacts, createArtefacts } from './artefacts.ts';
import type { Reach } from './clients.ts';
import { findInspector } from './inspector.ts';
import { PLATFORMS, type Running, SERVED } from './platforms.ts';

const inspect = await findInspector();
const NAMES = ['Node over a socket', 'Node over stdio', 'svc serve', 'svc serve over SSE'];
const places = [...PLATFORMS, ...SERVED].filter(({ name }) => NAMES.includes(name));

/** How the Inspector is told about a server. */
function toArguments(reach: Reach): string[] {
  if (reach.kind === 'stdio') return [reach.command, ...reach.args];
  return [reach.url.href, '--transport', reach.kind];
}

let artefacts: Artefacts;
beforeAll(async () => {
  artefacts = await createArtefacts();
});
afterAll(() => artefacts.remove());

describe.skipIf(inspect === null).each(places)("the Inspector's command line, $name", (platform) => {
  let running: Running;
  const ask = async (...args: string[]) => inspect?.([...toArguments(running.reach), ...args]);

  beforeAll(async () => {
    const { target } = platform;
    running = await platform.start(target ? (await artefacts.get(target)).out : artefacts.root);
  });
  afterAll(() => running.close());

  test('lists the tools', async () => {
    const tools = expect.arrayContaining([expect.objectContaining({ name: 'customer' })]);
    expect(await ask('--method', 'tools/list')).toMatchObject({ code: 0, answer: { result: { tools } } });
  });

  test('calls one', async () => {
    const called = await ask('--method', 'tools/call', '--tool-name', 'customer', '--tool-arg', 'id=1');
    expect(called).toMatchObject({
      code: 0,
      answer: { result: { structuredContent: { id: 1, name: 'Ada', balance: 1200.5 } } },
    });
  });

  test('tells a failed call from one that went well', async () => {
    const failed = await ask('--method', 'tools/call', '--tool-name', 'customer');
    expect(failed?.code).toBe(5);
    expect(failed?.answer.result).toMatchObject({ isError: true });
  });
});
