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
