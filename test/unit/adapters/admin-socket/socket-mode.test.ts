import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listenOnSocket } from '../../../../adapters/admin-socket/listen.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

// Without the later `chmod`, the mode is that of the socket's creation.
vi.mock('node:fs/promises', async (load) => ({
  ...(await load<typeof import('node:fs/promises')>()),
  chmod: async () => {},
}));

// Requirements: admin.mode
it('is its owner’s alone from its creation on, and leaves the mask of the process as it was', async () => {
  const root = temporaryFolder();
  const before = process.umask(0o022);
  onTestFinished(() => void process.umask(before));
  const socket = await listenOnSocket(
    { fetch: async () => new Response('answered'), rejectMalformed: () => new Response() },
    join(root, 'svc.sock'),
  );
  onTestFinished(() => socket.close());
  expect((statSync(socket.path).mode & 0o777).toString(8)).toBe('600');
  expect(process.umask()).toBe(0o022);
});
