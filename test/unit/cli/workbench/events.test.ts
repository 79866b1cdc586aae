import { expect, it } from 'vitest';
import { createProjectFeed } from '../../../../cli/workbench/app.ts';
import { streamWorkbenchEvents } from '../../../../cli/workbench/routes.ts';
import { createLiveCalls } from '../../../../src/admin/live-calls.ts';

function open() {
  const live = createLiveCalls({ always: true, inputs: true, conceal: (text) => text });
  const feed = createProjectFeed();
  const left = new AbortController();
  return { feed, left, response: streamWorkbenchEvents(live, feed, left.signal) };
}

// Requirements: workbench.watch
it('ends the events of a page that does not read, which then asks again', async () => {
  const { feed, response } = open();
  for (let n = 0; n < 5_000; n += 1) feed.announce('x'.repeat(1_000));
  const text = await response.text();
  expect(text).toContain('data: {"project":"xxx');
  expect(text.length).toBeLessThan(2_000_000);
});

it('ends when the page leaves', async () => {
  const { feed, left, response } = open();
  feed.announce('one');
  left.abort();
  feed.announce('two');
  expect(await response.text()).toMatch(/^data: \{"project":"one"\}$/m);
});
