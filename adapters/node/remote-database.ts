import { setImmediate as nextTurn } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import type { Environment } from '../../src/settings/environment.ts';
import { REMOTE_MEMORY_MB } from '../duckdb-wasm/default-memory.ts';
import { compileEngine } from '../duckdb-wasm/engine/artefact.ts';
import { openWasm } from '../duckdb-wasm/in-process.ts';
import { openHttpObject, type SendFor } from '../duckdb-wasm/remote/http-object.ts';
import { openRemote } from '../duckdb-wasm/remote/remote-file.ts';
import type { BundledDatabaseOptions } from './bundled-database.ts';

/* The database of an artefact for Node or Lambda that reads it by ranges, from S3 or over HTTPS. */

/** Opens the database in the store that the manifest names. It runs in this thread, because it waits for ranges more than it computes. */
export async function openBundledDatabase({ manifest }: BundledDatabaseOptions): Promise<Database> {
  const { database } = manifest;
  const { store, key } = database.remote ?? { store: '', key: '' };
  const object = `${store}/${key}`;
  const send = object.startsWith('s3:') ? toS3(new URL(object), process.env) : plainly(new URL(object));
  const open = async () =>
    openRemote(database, await openHttpObject({ name: object, bytes: database.bytes, send }));
  return openWasm({ ...(await compileEngine()), file: open, memoryMb: REMOTE_MEMORY_MB, pause: nextTurn });
}

function plainly(url: URL): SendFor {
  return (method, headers, signal) => fetch(url, { method, headers, signal, redirect: 'error' });
}

/**
 * Signs requests with the credentials of the environment, which Lambda sets. `AWS_ENDPOINT_URL_S3` is the address of a
 * store that answers as S3 does.
 */
function toS3({ hostname: bucket, pathname }: URL, env: Environment): SendFor {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1';
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = endpoint
    ? new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}${pathname}`)
    : new URL(`https://${bucket}.s3.${region}.${domain}${pathname}`);
  return async (method, headers, signal) => {
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers },
      accessKeyId: need(env, 'AWS_ACCESS_KEY_ID'),
      secretAccessKey: need(env, 'AWS_SECRET_ACCESS_KEY'),
      ...(env.AWS_SESSION_TOKEN ? { sessionToken: env.AWS_SESSION_TOKEN } : {}),
      service: 's3',
      region,
    });
    return fetch(url, { method, headers: (await signer.sign()).headers, signal, redirect: 'error' });
  };
}

function need(env: Environment, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new SvcError('config_invalid', `The database is in S3, but ${name} is not set in the environment.`);
}
