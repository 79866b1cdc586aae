import { expect, it } from 'vitest';
import { toObjectUrl } from '../../../../adapters/node/remote-database.ts';

it.each([
  ['s3://bucket/folder/a.duckdb', {}, 'https://bucket.s3.us-east-1.amazonaws.com/folder/a.duckdb'],
  [
    's3://bucket/a.duckdb',
    { AWS_REGION: 'cn-north-1' },
    'https://bucket.s3.cn-north-1.amazonaws.com.cn/a.duckdb',
  ],
  // The certificate of *.s3.eu-west-1.amazonaws.com covers one label.
  [
    's3://my.bucket/a.duckdb',
    { AWS_REGION: 'eu-west-1' },
    'https://s3.eu-west-1.amazonaws.com/my.bucket/a.duckdb',
  ],
  [
    's3://my.bucket/a.duckdb',
    { AWS_ENDPOINT_URL_S3: 'https://store.example/' },
    'https://store.example/my.bucket/a.duckdb',
  ],
])('%s with %j is at %s', (object, env, url) => {
  expect(toObjectUrl(new URL(object), env).href).toBe(url);
});
