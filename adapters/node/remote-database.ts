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
import { oneThreadMemory } from './database/memory-limit.ts';

/* The database of an artefact for Node or Lambda that reads it by ranges, from S3 or over HTTPS. */

/** Opens the database in the store that the manifest names. It runs in this thread, because it waits for ranges more than it computes. */
export async function openBundledDatabase({ manifest }: BundledDatabaseOptions): Promise<Database> {
  const { database } = manifest;
  const { store, key } = database.remote ?? { store: '', key: '' };
  const object = `${store}/${key}`;
  const send = object.startsWith('s3:') ? toS3(new URL(object), process.env) : plainly(new URL(object));
  const open = async () =>
    openRemote(database, await openHttpObject({ name: object, bytes: database.bytes, send }));
  const memoryMb = oneThreadMemory(process.env, manifest.memoryMb, REMOTE_MEMORY_MB);
  return openWasm({ ...(await compileEngine()), file: open, memoryMb, pause: nextTurn });
}

function plainly(url: URL): SendFor {
  return (method, headers, signal) => fetch(url, { method, headers, signal, redirect: 'error' });
}

function regionOf({ AWS_REGION, AWS_DEFAULT_REGION }: Environment): string {
  return AWS_REGION || AWS_DEFAULT_REGION || 'us-east-1';
}

/**
 * The address of an object in S3. A bucket with a dot in its name is a part of the path, because AWS's certificates name
 * hosts with one label before `s3`. `AWS_ENDPOINT_URL_S3` is the address of a store that answers as S3 does.
 *
 * @example toObjectUrl(new URL('s3://b/a.duckdb'), {}).href // 'https://b.s3.us-east-1.amazonaws.com/a.duckdb'
 */
export function toObjectUrl({ hostname: bucket, pathname }: URL, env: Environment): URL {
  const region = regionOf(env);
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const host = `s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
  if (endpoint) return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}${pathname}`);
  return new URL(
    bucket.includes('.') ? `https://${host}/${bucket}${pathname}` : `https://${bucket}.${host}${pathname}`,
  );
}

/** Signs requests with the credentials of the environment, which Lambda sets. */
function toS3(object: URL, env: Environment): SendFor {
  const url = toObjectUrl(object, env);
  const region = regionOf(env);
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
