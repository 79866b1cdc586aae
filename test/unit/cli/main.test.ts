import { styleText } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { createOutput } from '../../../cli/io/output.ts';
import { reportError } from '../../../cli/main.ts';
import { SvcError } from '../../../src/errors.ts';

afterEach(() => void vi.restoreAllMocks());

it('prints one document on stdout: what fails after the answer goes to stderr', () => {
  const [out, err] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockReturnValue(true),
  );
  const output = createOutput({ json: true, debug: false });
  output.data({ status: 'ok' }, () => '');
  reportError(new SvcError('internal', 'ended by itself'), output);
  expect(out?.mock.calls).toEqual([['{"status":"ok"}\n']]);
  expect(String(err?.mock.calls)).toContain('ended by itself');
});

it('makes a failure the document where there is none yet', () => {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  reportError(new SvcError('usage', 'x'), createOutput({ json: true, debug: false }));
  expect(out.mock.calls).toEqual([['{"status":"error","error":{"code":"usage","message":"x"}}\n']]);
});

it('makes no colours of a terminal part of a document', () => {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const message = `x: ${styleText(['red', 'bold'], 'error', { validateStream: false })}\n y`;
  reportError(new SvcError('usage', message), createOutput({ json: true, debug: true }));
  const { error } = JSON.parse(String(out.mock.calls[0]?.[0]));
  expect(error.message).toBe('x: error\n y');
  expect(error.stack.join()).toContain('x: error\n y');
});
