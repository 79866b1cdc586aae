import { expect, it } from 'vitest';
import { createHost, failureOf } from '../../../engine/python/subject.ts';
import { openFiles } from './files.ts';
import { PYTHON } from './found.ts';

const ASKS = `import os
from svc.runtime import DatabaseError, HostError, audit, db, mcp

def asks(size):
    try:
        return db.execute("SELECT $a", {"a": "x" * size})
    except DatabaseError as error:
        return [error.code, str(error), os.getpid()]

def records(size):
    audit.add(details={"a": "x" * size})

def tells(size):
    mcp.info("x" * size)
    mcp.progress(1, 2, "x" * size)
    return os.getpid()
`;

const MEBIBYTE = 1024 * 1024;

it.runIf(PYTHON !== null)('a request that is too large is an exception, and Python goes on', async () => {
  const { call, value } = await openFiles({ 'asks.py': ASKS });
  const host = createHost();
  const given = { file: 'asks.py', host };
  const message = 'A request of a function to the server may have 64 MiB, and this one has more.';
  const found = await value('asks', { size: 64 * MEBIBYTE }, given);
  expect(found).toEqual(['request_too_large', message, expect.any(Number)]);
  const error = await failureOf(call('records', { size: 64 * MEBIBYTE }, given));
  expect([error.code, error.message]).toEqual([
    'python_failed',
    expect.stringMatching(/^asks\.py:\d+: HostError: A request of a function/),
  ]);
  expect([await value('tells', { size: 64 * MEBIBYTE }, given)]).toEqual((found as unknown[]).slice(2));
  expect(host.asked.statements).toEqual([]);
  expect(host.asked.notices.map(({ length }) => length)).toEqual([8 * MEBIBYTE + 'info: '.length]);
  expect(host.asked.progress.map(([, , text]) => text.length)).toEqual([8 * MEBIBYTE]);
});
