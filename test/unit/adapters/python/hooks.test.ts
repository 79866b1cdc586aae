import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../../engine/python/subject.ts';
import { openFiles } from './files.ts';
import { PYTHON } from './found.ts';

// whole processes start here, on machines with little to spare
vi.setConfig({ testTimeout: 60_000 });

/** A module that notes what runs; `once` fails until `ready` is there. */
const NOTES = `import os

def note(text):
    with open("notes", "a") as file:
        file.write(text + " ")

def once(text):
    note(text)
    if not os.path.exists("ready"):
        raise RuntimeError("not ready")
`;

/** A module whose hooks are noted. The first one fails until `ready` is there. */
const HOOKS = `from notes import note, once
from svc.runtime import on_init, on_shutdown

@on_init
def first():
    once("first")

@on_init
def second():
    note("second")

@on_shutdown
def end():
    note("end")
`;

const NAMED = 'def named():\n    return __name__\n';

async function openNoted(files: Readonly<Record<string, string>>) {
  const opened = await openFiles({ 'python/notes.py': NOTES, ...files });
  const { root, call, value } = opened;
  const notes = join(root, 'notes');
  return {
    ...opened,
    named: (file: string) => value('named', {}, { file }),
    failed: async (file: string) => (await failureOf(call('named', {}, { file }))).message,
    ready: () => writeFileSync(join(root, 'ready'), ''),
    notes: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim() : ''),
  };
}

describe.skipIf(PYTHON === null)('after a failed load', () => {
  it('the next one runs the hooks once each, in their order', async () => {
    const { failed, ready, named, notes, python } = await openNoted({ 'tools/a.py': HOOKS + NAMED });
    expect(await failed('tools/a.py')).toBe('python/notes.py:10: RuntimeError: not ready');
    expect(notes()).toBe('first end');
    ready();
    await named('tools/a.py');
    expect(notes()).toBe('first end first second');
    await python.close();
    expect(notes()).toBe('first end first second end');
  });

  it('the hooks of a module that the file imports run again', async () => {
    const { failed, ready, named, notes } = await openNoted({
      'python/conn.py': HOOKS,
      'tools/a.py': `import conn\n${NAMED}`,
    });
    await failed('tools/a.py');
    ready();
    await named('tools/a.py');
    expect(notes()).toBe('first end first second');
  });

  it('the hooks of a module in a package that another file uses run again', async () => {
    const { failed, ready, named, notes } = await openNoted({
      'python/shapes/__init__.py': '',
      'python/shapes/area.py': '',
      'python/shapes/conn.py': HOOKS,
      'tools/a.py': `from shapes import conn\n${NAMED}`,
      'tools/b.py': `from shapes import area\n${NAMED}`,
    });
    await named('tools/b.py');
    await failed('tools/a.py');
    ready();
    await named('tools/a.py');
    expect(notes()).toBe('first end first second');
  });

  it('its hooks do not run with another file', async () => {
    const { failed, ready, named, notes, python } = await openNoted({
      'tools/a.py': `${HOOKS}raise RuntimeError("broken")\n`,
      'tools/b.py': NAMED,
    });
    expect(await failed('tools/a.py')).toBe('tools/a.py:15: RuntimeError: broken');
    ready();
    await named('tools/b.py');
    await python.close();
    expect(notes()).toBe('');
  });

  it('modules of other files stay', async () => {
    const { failed, named, notes, python } = await openNoted({
      'python/shared.py': 'from notes import note\nfrom svc.runtime import on_shutdown\nnote("shared")\n',
      'tools/a.py': `import shared\n${HOOKS}`,
      'tools/b.py': `import shared\n${NAMED}@shared.on_shutdown\ndef end():\n    shared.note("bye")\n`,
    });
    await named('tools/b.py');
    await failed('tools/a.py');
    await failed('tools/a.py');
    await python.close();
    expect(notes()).toBe('shared first end first end bye');
  });
});
