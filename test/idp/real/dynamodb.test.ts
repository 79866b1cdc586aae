import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamo } from '../../../adapters/aws-lambda/dynamodb.ts';
import { createDynamoStore } from '../../../adapters/aws-lambda/token-store.ts';
import { freePort } from '../../lake/parts.ts';
import { AWS_ENV } from '../../unit/adapters/aws-lambda/dynamodb-double.ts';
import { itIsATokenStore } from '../../unit/auth/store-contract.ts';

/* The token store of Lambda in the DynamoDB Local that `npm run test:idp` installs. It checks no signatures. */

const PARTS = process.env.SVC_TEST_IDP;
const SLOW = 240_000;
const SERVER = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';

describe.skipIf(PARTS === undefined)('the store in DynamoDB Local', { timeout: SLOW }, () => {
  let child: ChildProcess;
  let endpoint = '';
  let tables = 0;

  beforeAll(async () => {
    const [port, folder] = [await freePort(), join(PARTS ?? '', 'dynamodb')];
    endpoint = `http://127.0.0.1:${port}`;
    const args = [
      `-Djava.library.path=${folder}`,
      '-cp',
      join(folder, '*'),
      SERVER,
      '-inMemory',
      '-disableTelemetry',
      '-port',
      `${port}`,
    ];
    child = spawn('java', args, { cwd: folder, stdio: 'ignore' });
    const answers = () =>
      fetch(endpoint).then(
        () => true,
        () => false,
      );
    await vi.waitUntil(answers, { timeout: SLOW, interval: 200 });
  }, SLOW);
  afterAll(async () => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  });

  /** A store in a table of its own, as `docs/how-to/auth-setup.md` describes the table. */
  const open = async (now: () => number = Date.now) => {
    const ask = createDynamo({ region: null, endpoint }, AWS_ENV);
    tables += 1;
    const table = `sessions-${tables}`;
    await ask('CreateTable', {
      TableName: table,
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    await ask('UpdateTimeToLive', {
      TableName: table,
      TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    });
    return createDynamoStore(ask, table, now);
  };

  itIsATokenStore(open);

  it('says what to check where the table is missing', async () => {
    const store = createDynamoStore(createDynamo({ region: null, endpoint }, AWS_ENV), 'absent');
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'login_unavailable',
      message: expect.stringMatching(/GetItem \(400 ResourceNotFoundException\)[\s\S]*table/),
    });
  });
});
