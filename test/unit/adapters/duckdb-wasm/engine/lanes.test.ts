import { expect, it } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { compileEngine } from '../../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { Engine } from '../../../../../adapters/duckdb-wasm/engine/engine.ts';
import { pathFile } from '../../../../../adapters/duckdb-wasm/engine/path-file.ts';
import { callOf, temporaryFolder } from '../../../../engine/fixture.ts';

it('keeps no memory for calls that were cancelled before they began', async () => {
  const folder = await temporaryFolder();
  const path = folder.file('numbers.duckdb');
  await runScript(path, 'CREATE TABLE numbers AS SELECT i FROM range(100) t(i)');
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  const engine = await Engine.open({
    ...(await compileEngine()),
    file: pathFile(path),
    memoryMb: 256,
    pause,
  });
  try {
    const request = {
      sql: 'SELECT count(*) AS n FROM numbers',
      values: [],
      mode: 'read',
      maxRows: 1,
    } as const;
    const cancelled = callOf({ signal: AbortSignal.abort() });
    await engine.run(request, callOf());
    await engine.run(request, callOf());
    const before = engine.memoryMb;
    for (let turn = 0; turn < 3_000; turn += 1) {
      await expect(engine.run(request, cancelled)).rejects.toMatchObject({ code: 'cancelled' });
      await engine.run(request, callOf());
    }
    expect(engine.memoryMb).toBe(before);
  } finally {
    engine.close();
    await folder.remove();
  }
}, 60_000);
