import type { TokenStore } from '../../src/ports.ts';
import type { AskDynamo, Attribute } from './dynamodb.ts';

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
  const insert = (key: string, value: string, seconds: number) =>
    toTable('PutItem', {
      Item: { ...keyOf(key), value: { S: value }, version: digits(1), ...lifeOf(now() + seconds * 1000) },
      ConditionExpression: ABSENT,
      ExpressionAttributeNames: { '#key': 'key', '#until': 'until' },
      ExpressionAttributeValues: { ':now': digits(now()) },
    });
  const replace = (key: string, value: string, seconds: number, version: number) =>
    toTable('PutItem', {
      Item: {
        ...keyOf(key),
        value: { S: value },
        version: digits(version + 1),
        ...lifeOf(now() + seconds * 1000),
      },
      ConditionExpression: SAME,
      ExpressionAttributeNames: { '#version': 'version', '#until': 'until' },
      ExpressionAttributeValues: { ':version': digits(version), ':now': digits(now()) },
    });
  const overwrite = (key: string, value: string, seconds: number) => {
    const { until, expires } = lifeOf(now() + seconds * 1000);
    return toTable('UpdateItem', {
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
  };
  return {
    consistency: 'strong',
    claimOnce: async (key, seconds) => (await insert(key, '', seconds)) !== null,
    get: async (key) => {
      const answer = await toTable('GetItem', { Key: keyOf(key), ConsistentRead: true });
      const { value, version, until } = answer?.Item ?? {};
      if (value === undefined || numberOf(until) <= now()) return null;
      return { value: textOf(value), version: numberOf(version) };
    },
    put: async (key, value, { seconds, ifVersion }) => {
      if (ifVersion === undefined) return (await overwrite(key, value, seconds)) !== null;
      if (ifVersion === 0) return (await insert(key, value, seconds)) !== null;
      return (await replace(key, value, seconds, ifVersion)) !== null;
    },
    delete: async (key) => void (await toTable('DeleteItem', { Key: keyOf(key) })),
    close: async () => {},
  };
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
