import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createOpenInstance } from '../../../../../adapters/duckdb-native/driver/create.ts';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { keepDuring } from '../../../../../adapters/duckdb-native/driver/keep.ts';
import { eventually } from '../../../mcp/eventually.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** An object that nobody else knows, and the work on it, which ends when it is told. */
function begin() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const object = {};
  return { work: keepDuring(object, () => promise), object: new WeakRef(object), resolve };
}

/** A turn later nothing is kept only because it was just looked at. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('keepDuring', () => {
  it('keeps an object until the work on it is done, and no longer', async () => {
    const { work, object, resolve } = begin();
    await turn();
    collect();
    expect(object.deref() === undefined).toBe(false);
    resolve('done');
    expect(await work).toBe('done');
    await eventually(() => {
      collect();
      return object.deref() === undefined;
    }).toBe(true);
  });

  it('passes a failure on', async () => {
    await expect(keepDuring({}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('the instances of the driver', () => {
  it('are opened with a configuration that is kept', async () => {
    const { api } = await loadDriver();
    const { default: bindings } = await import('@duckdb/node-bindings');
    const configs: WeakRef<object>[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow: typeof bindings.open = async (path, config) => {
      if (config !== undefined) configs.push(new WeakRef(config));
      const before = configs.length;
      await promise;
      expect(before).toBe(1);
      return bindings.open(path);
    };
    const opening = createOpenInstance(api, { ...pick(bindings), open: slow })(':memory:', { threads: '1' });
    await turn();
    collect();
    expect(configs.map((config) => config.deref() !== undefined)).toEqual([true]);
    resolve();
    (await opening).closeSync();
  });
});

function pick({ create_config, set_config }: typeof import('@duckdb/node-bindings')) {
  return { create_config, set_config };
}
