import { describe, expect, it } from 'vitest';
import { createDynamo, sign } from '../../../../adapters/aws-lambda/dynamodb.ts';
import { createDynamoStore } from '../../../../adapters/aws-lambda/token-store.ts';
import type { TokenStore } from '../../../../src/ports.ts';
import { itIsATokenStore } from '../../auth/store-contract.ts';
import { AWS_ENV, startDynamo, TABLE } from './dynamodb-double.ts';

async function open(now: () => number = Date.now) {
  const double = await startDynamo();
  const place = { region: null, endpoint: double.url };
  return { double, place, store: createDynamoStore(createDynamo(place, AWS_ENV), TABLE, now) };
}

describe('the store in DynamoDB', () => {
  itIsATokenStore(async (now) => (await open(now)).store);

  it('tells DynamoDB the second after which a value may go', async () => {
    const { double, store } = await open(() => 1_700_000_000_001);
    await store.put('a', 'one', { seconds: 60 });
    await store.claimOnce('b', 1);
    const expires = [...double.rows.values()].map((row) => row.expires);
    expect(expires).toEqual([{ N: '1700000061' }, { N: '1700000002' }]);
  });

  it('asks again where DynamoDB is busy or broken', async () => {
    const { double, store } = await open();
    double.failures.push([400, 'ProvisionedThroughputExceededException'], [500, 'InternalServerError']);
    expect(await store.claimOnce('a', 60)).toBe(true);
    expect(double.operations).toEqual(['PutItem', 'PutItem', 'PutItem']);
  });

  it.each([
    ['a claim', (store: TokenStore) => store.claimOnce('a', 60)],
    ['a new value', (store: TokenStore) => store.put('a', 'one', { seconds: 60, ifVersion: 0 })],
  ])('knows %s of its own that took effect without an answer', async (_name, write) => {
    const { double, store } = await open();
    double.losses.push([500, 'InternalServerError']);
    expect(await write(store)).toBe(true);
    expect(double.operations).toEqual(['PutItem', 'PutItem']);
    expect(await write(store)).toBe(false);
    expect((await store.get('a'))?.version).toBe(1);
  });

  it('knows a change of its own that took effect without an answer, and none of others', async () => {
    const { double, store } = await open();
    await store.put('a', 'one', { seconds: 60 });
    double.losses.push([500, 'InternalServerError']);
    expect(await store.put('a', 'two', { seconds: 60, ifVersion: 1 })).toBe(true);
    expect(await store.put('a', 'two', { seconds: 60, ifVersion: 1 })).toBe(false);
    expect(await store.get('a')).toEqual({ value: 'two', version: 2 });
  });

  it('says what to check where DynamoDB refuses, once and without what it wrote', async () => {
    const { double, store } = await open();
    double.failures.push([400, 'AccessDeniedException']);
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'login_unavailable',
      message: expect.stringMatching(/GetItem \(400 AccessDeniedException\)[\s\S]*role/),
    });
    expect(double.operations).toHaveLength(1);
  });

  it('is refused with another secret', async () => {
    const { place } = await open();
    const ask = createDynamo(place, { ...AWS_ENV, AWS_SECRET_ACCESS_KEY: 'another' });
    await expect(createDynamoStore(ask, TABLE).get('a')).rejects.toThrow('InvalidSignatureException');
  });

  it.each(['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])('needs %s', (name) => {
    const make = () => createDynamo({ region: null, endpoint: null }, { ...AWS_ENV, [name]: '' });
    expect(make).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(make).toThrow(name);
  });
});

describe('a signature', () => {
  it("is that of the example `post-vanilla` of AWS's test suite", async () => {
    const credentials = {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      sessionToken: null,
    };
    const headers = await sign(
      { url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' },
      { credentials, region: 'us-east-1', service: 'service', now: new Date('2015-08-30T12:36:00Z') },
    );
    expect(headers.get('authorization')).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    );
  });
});
