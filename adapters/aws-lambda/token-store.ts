import type { TokenStore } from '../../src/ports.ts';
import type { AskDynamo, Attribute, Item } from './dynamodb.ts';

const ABSENT = 'attribute_not_exists(#key) OR #until <= :now';
const SAME = '#version = :version AND #until > :now';
const OVERWRITE = 'SET #value = :value, #until = :until, #expires = :expires ADD #version :one';

const NAMES = { '#value': 'value', '#until': 'until', '#expires': 'expires', '#version': 'version' };

/**
 * Creates a token store in a DynamoDB table with the string key `key` and the TTL attribute `expires` (spec,
 * `persistence`).
 */
export function createDynamoStore(ask: AskDynamo, table: string, now: () => number = Date.now): TokenStore {
  const toTable = (operation: string, input: object) => ask(operation, { TableName: table, ...input });
  const write = async (item: Item, condition: object) => {
    const writer = crypto.randomUUID();
    const answer = await toTable('PutItem', {
      Item: { ...item, writer: { S: writer } },
      ...condition,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    // A write that took effect without an answer finds itself there when it is sent again.
    return answer.conflict !== true || textOf(answer.Item?.writer) === writer;
  };
  const itemOf = (key: string, version: number, { value, seconds }: NewValue): Item => ({
    ...keyOf(key),
    value: { S: value },
    version: digits(version),
    ...lifeOf(now() + seconds * 1000),
  });
  const insert = (key: string, added: NewValue) =>
    write(itemOf(key, 1, added), {
      ConditionExpression: ABSENT,
      ExpressionAttributeNames: { '#key': 'key', '#until': 'until' },
      ExpressionAttributeValues: { ':now': digits(now()) },
    });
  const replace = (key: string, version: number, changed: NewValue) =>
    write(itemOf(key, version + 1, changed), {
      ConditionExpression: SAME,
      ExpressionAttributeNames: { '#version': 'version', '#until': 'until' },
      ExpressionAttributeValues: { ':version': digits(version), ':now': digits(now()) },
    });
  const overwrite = async (key: string, { value, seconds }: NewValue) => {
    const { until, expires } = lifeOf(now() + seconds * 1000);
    await toTable('UpdateItem', {
      Key: keyOf(key),
      UpdateExpression: OVERWRITE,
      ExpressionAttributeNames: NAMES,
      ExpressionAttributeValues: {
        ':value': { S: value },
        ':until': until,
        ':expires': expires,
        ':one': digits(1),
      },
    });
    return true;
  };
  return {
    consistency: 'strong',
    claimOnce: (key, seconds) => insert(key, { value: '', seconds }),
    get: async (key) => {
      const answer = await toTable('GetItem', { Key: keyOf(key), ConsistentRead: true });
      const { value, version, until } = answer.Item ?? {};
      if (value === undefined || numberOf(until) <= now()) return null;
      return { value: textOf(value), version: numberOf(version) };
    },
    put: (key, value, { seconds, ifVersion }) => {
      const put = { value, seconds };
      if (ifVersion === undefined) return overwrite(key, put);
      return ifVersion === 0 ? insert(key, put) : replace(key, ifVersion, put);
    },
    delete: async (key) => void (await toTable('DeleteItem', { Key: keyOf(key) })),
    close: async () => {},
  };
}

/** A value to store, and the seconds of its life. */
interface NewValue {
  readonly value: string;
  readonly seconds: number;
}

function keyOf(key: string) {
  return { key: { S: key } };
}

/**
 * The expiry of a value in milliseconds, and in seconds for DynamoDB, which deletes it up to days later. Reads
 * therefore check `until`.
 */
function lifeOf(until: number) {
  return { until: digits(until), expires: digits(Math.ceil(until / 1000)) };
}

function digits(value: number): Attribute {
  return { N: String(value) };
}

function numberOf(value: Attribute | undefined): number {
  return value !== undefined && 'N' in value ? Number(value.N) : 0;
}

function textOf(value: Attribute | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}
