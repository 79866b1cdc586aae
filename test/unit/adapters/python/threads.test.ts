import { expect, it } from 'vitest';
import { openFiles } from './files.ts';
import { PYTHON } from './found.ts';

/** Functions that import what they need themselves, in a process that has not loaded it. */
const THREADS = `from svc.runtime import user

def by_thread():
    import threading
    found = []
    thread = threading.Thread(target=lambda: found.append(user.id))
    thread.start()
    thread.join()
    return found

def by_executor():
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(2) as executor:
        return list(executor.map(lambda _: user.id, range(3)))
`;

it.skipIf(PYTHON === null).each([
  ['by_thread', ['ada']],
  ['by_executor', ['ada', 'ada', 'ada']],
])('threads of the first call of a process act as its caller: %s', async (name, found) => {
  const { value } = await openFiles({ 'threads.py': THREADS });
  expect(await value(name, {}, { file: 'threads.py', user: { id: 'ada' } })).toEqual(found);
});
