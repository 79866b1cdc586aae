import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ObjectReplaced } from '../../../../../adapters/duckdb-wasm/engine/database-file.ts';
import { type HttpObject, openHttpObject } from '../../../../../adapters/duckdb-wasm/remote/http-object.ts';
import { SvcError } from '../../../../../src/errors.ts';
import { type ObjectServer, startObjectServer } from '../../../../matrix/large/object-server.ts';
import { failureOf } from '../fixture.ts';

const BYTES = randomBytes(1000);
let objects: ObjectServer;
let url: URL;

beforeAll(async () => {
  objects = await startObjectServer();
  url = new URL('shop.duckdb', objects.url);
});
afterAll(() => objects.close());
beforeEach(async () => {
  objects.wrong = null;
  await put(BYTES);
});

const put = (body: Uint8Array<ArrayBuffer>) => fetch(url, { method: 'PUT', body });

function open(chosen: Partial<HttpObject> = {}) {
  return openHttpObject({
    name: 'shop',
    bytes: 1000,
    send: (method, headers, signal) => fetch(url, { method, headers, signal }),
    ...chosen,
  });
}

it('reads ranges of the object', async () => {
  const source = await open();
  expect(source.size).toBe(1000);
  expect(Buffer.from(await source.read(10, 300))).toEqual(BYTES.subarray(10, 310));
  expect(Buffer.from(await source.read(999, 1))).toEqual(BYTES.subarray(999));
});

it('says that another version is another one', async () => {
  const source = await open();
  await put(randomBytes(1000));
  await expect(source.read(0, 10)).rejects.toThrow(ObjectReplaced);
});

it('says that a server knows no ranges, or what its status is', async () => {
  const source = await open();
  objects.wrong = 'no ranges';
  await expect(source.read(0, 10)).rejects.toThrow('it knows no ranges');
  objects.wrong = 503;
  await expect(source.read(0, 10)).rejects.toThrow('the status is 503');
});

it('does not open an object that is missing, has another size, or cannot be reached', async () => {
  url = new URL('nothing', objects.url);
  const missing = await failureOf(open());
  url = new URL('shop.duckdb', objects.url);
  expect(missing).toEqual({
    code: 'database_unavailable',
    message:
      'The database shop has the status 404. Upload upload/data.duckdb of this artefact there, as its README.md says.',
  });
  expect((await failureOf(open({ bytes: 1001 }))).message).toContain(
    'has 1000 bytes, but the database has 1001',
  );
});

it('tells why the object cannot be reached, and asks for no upload then', async () => {
  const failing = async (thrown: Error) => failureOf(open({ send: () => Promise.reject(thrown) }));
  const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });
  expect(await failing(refused)).toEqual({
    code: 'database_unavailable',
    message:
      'The database shop cannot be reached: connect ECONNREFUSED 127.0.0.1:9. Check the address and the network.',
  });
  expect((await failing(new TypeError('Invalid URL'))).message).toContain('cannot be reached: Invalid URL.');
  const unset = new SvcError('config_invalid', 'AWS_ACCESS_KEY_ID is not set.');
  expect(await failing(unset)).toEqual({ code: 'config_invalid', message: unset.message });
  objects.wrong = 403;
  expect((await failureOf(open())).message).toMatch(
    /^The database shop has the status 403\. Check that the credentials may read it\./,
  );
});
