import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamo } from '../../../adapters/aws-lambda/dynamodb.ts';
import { createDynamoStore } from '../../../adapters/aws-lambda/token-store.ts';
import { freePort } from '../../free-port.ts';
import { AWS_ENV } from '../../unit/adapters/aws-lambda/dynamodb-double.ts';
import { playHistories } from '../../unit/auth/histories/run.ts';
import { itIsATokenStore } from '../../unit/auth/store-contract.ts';

/* The token store of Lambda in the DynamoDB Local that `npm run test:idp` installs. It checks no signatures. */

const STEPS = Number(process.env.SVC_TEST_HISTORY_STEPS ?? 300);
const SEED = Number(process.env.SVC_TEST_HISTORY_SEED ?? 20_261_123);
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
    // Its first answer takes seconds on a busy machine, and a table is made by one request only.
    const ask = createDynamo({ region: null, endpoint }, AWS_ENV);
    const answers = () =>
      ask('ListTables', {}).then(
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
  const open = async (now: () => number = Date.now) => (await openTable())(now);

  /** Makes a table; what it returns opens a store in it. */
  const openTable = async () => {
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
    return (now: () => number) => createDynamoStore(ask, table, now);
  };

  itIsATokenStore(open);

  // Requirements: oauth.histories
  it(`keeps every promise of sign-ins (${STEPS} steps, seed ${SEED})`, { timeout: 3_600_000 }, async () => {
    const shared = async () => {
      const openStore = await openTable();
      return async (now: () => number) => openStore(now);
    };
    const { steps } = await playHistories(shared, { steps: STEPS, seed: SEED, most: 60 });
    expect(steps).toBeGreaterThanOrEqual(STEPS);
  });

  it('says what to check where the table is missing', async () => {
    const store = createDynamoStore(createDynamo({ region: null, endpoint }, AWS_ENV), 'absent');
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'login_unavailable',
      message: expect.stringMatching(/GetItem \(400 ResourceNotFoundException\)[\s\S]*table/),
    });
  });
});
