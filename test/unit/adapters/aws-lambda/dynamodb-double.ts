import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { startDouble } from '../references/http-double.ts';

/** What the function's environment has. */
export const AWS_ENV = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'ASIAPLANTED',
  AWS_SECRET_ACCESS_KEY: 'planted-secret-key',
  AWS_SESSION_TOKEN: 'planted-session-token',
};

export const TABLE = 'sessions';

type Value = { readonly S: string } | { readonly N: string };
type Row = Record<string, Value>;
type Input = Record<string, unknown>;

/** A table of DynamoDB, which may be told to fail the next requests. */
export interface DynamoDouble {
  readonly url: string;
  /** Operations so far, failed ones too. */
  readonly operations: string[];
  readonly rows: Map<string, Row>;
  /** Status and error type that the next requests get. */
  readonly failures: (readonly [number, string])[];
  /** The same for the next requests, which take effect. */
  readonly losses: (readonly [number, string])[];
}

class Refusal extends Error {
  readonly type: string;
  readonly fields: object;
  constructor(type: string, message = type, fields: object = {}) {
    super(message);
    this.type = type;
    this.fields = fields;
  }
}

/** Speaks the parts of DynamoDB's JSON protocol that are used, as its API reference has it, and refuses all others. */
export async function startDynamo(): Promise<DynamoDouble> {
  const rows = new Map<string, Row>();
  const operations: string[] = [];
  const failures: (readonly [number, string])[] = [];
  const losses: (readonly [number, string])[] = [];
  const { url } = await startDouble(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const send = (status: number, content: unknown) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(content));
    };
    const fail = (status: number, type: string, message = type, fields: object = {}) =>
      send(status, { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...fields });
    try {
      const operation = operationOf(request);
      operations.push(operation);
      const failure = failures.shift();
      if (failure !== undefined) return fail(...failure);
      checkSignature(request, body);
      const answer = perform(rows, operation, JSON.parse(body));
      const loss = losses.shift();
      if (loss !== undefined) return fail(...loss);
      send(200, answer);
    } catch (thrown) {
      if (thrown instanceof Refusal) return fail(400, thrown.type, thrown.message, thrown.fields);
      fail(400, 'SerializationException', String(thrown));
    }
  });
  return { url, operations, rows, failures, losses };
}

function operationOf({ method, url, headers }: IncomingMessage): string {
  const [, operation] = /^DynamoDB_20120810\.(\w+)$/.exec(String(headers['x-amz-target'])) ?? [];
  if (method !== 'POST' || url !== '/' || operation === undefined)
    throw new Refusal('UnknownOperationException');
  if (headers['content-type'] !== 'application/x-amz-json-1.0') throw new Refusal('SerializationException');
  return operation;
}

/** Signature Version 4, computed anew from what arrived. */
function checkSignature({ headers }: IncomingMessage, body: string): void {
  const { authorization = '' } = headers;
  const time = String(headers['x-amz-date']);
  const form =
    /^AWS4-HMAC-SHA256 Credential=ASIAPLANTED\/((\d{8})\/eu-central-1\/dynamodb\/aws4_request), SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
  const [, scope = '', date = '', signed = '', signature] = form.exec(authorization) ?? [];
  if (!/^\d{8}T\d{6}Z$/.test(time) || !time.startsWith(date))
    throw new Refusal('IncompleteSignatureException');
  const names = signed.split(';');
  const must = ['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target'];
  if (must.some((name) => !names.includes(name)) || names.join() !== [...names].sort().join())
    throw new Refusal('IncompleteSignatureException');
  if (headers['x-amz-security-token'] !== AWS_ENV.AWS_SESSION_TOKEN)
    throw new Refusal('UnrecognizedClientException');
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
  const canonical = `POST\n/\n\n${lines}\n${signed}\n${hash(body)}`;
  const key = [date, 'eu-central-1', 'dynamodb', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${AWS_ENV.AWS_SECRET_ACCESS_KEY}`,
  );
  const expected = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(canonical)}`).toString('hex');
  if (signature !== expected) throw new Refusal('InvalidSignatureException');
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  GetItem: ['Key', 'ConsistentRead'],
  PutItem: [
    'Item',
    'ConditionExpression',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
    'ReturnValuesOnConditionCheckFailure',
  ],
  UpdateItem: ['Key', 'UpdateExpression', 'ExpressionAttributeNames', 'ExpressionAttributeValues'],
  DeleteItem: ['Key'],
};

function perform(rows: Map<string, Row>, operation: string, input: Input): object {
  const fields = FIELDS[operation];
  if (fields === undefined) throw new Refusal('UnknownOperationException', operation);
  const unknown = Object.keys(input).find((name) => name !== 'TableName' && !fields.includes(name));
  if (unknown !== undefined) throw new Refusal('ValidationException', `unknown: ${unknown}`);
  if (input.TableName !== TABLE) throw new Refusal('ResourceNotFoundException');
  checkPlaceholders(input);
  const row = toRow(operation === 'PutItem' ? input.Item : input.Key);
  const id = idOf(row, operation !== 'PutItem');
  if (operation === 'GetItem') return rows.has(id) ? { Item: rows.get(id) } : {};
  if (operation === 'DeleteItem') rows.delete(id);
  if (operation === 'UpdateItem') rows.set(id, update(rows.get(id) ?? row, input));
  if (operation === 'PutItem') {
    if (!holds(rows.get(id), input)) throw conflictOf(rows.get(id), input);
    rows.set(id, row);
  }
  return {};
}

/** The error of a condition, with the present item if the request asked for it and there is one. */
function conflictOf(
  row: Row | undefined,
  { ReturnValuesOnConditionCheckFailure: shown = 'NONE' }: Input,
): Refusal {
  if (shown !== 'NONE' && shown !== 'ALL_OLD') return new Refusal('ValidationException', 'ReturnValues');
  const fields = shown === 'ALL_OLD' && row !== undefined ? { Item: row } : {};
  return new Refusal('ConditionalCheckFailedException', 'The conditional request failed', fields);
}

/** Each placeholder that is used is given, and each that is given is used. */
function checkPlaceholders(input: Input): void {
  const texts = Object.entries(input).filter(([name]) => name.endsWith('Expression'));
  const used = new Set(texts.flatMap(([, text]) => String(text).match(/[#:]\w+/g) ?? []));
  const given = ['ExpressionAttributeNames', 'ExpressionAttributeValues'].flatMap((name) =>
    Object.keys(input[name] ?? {}),
  );
  const same = used.size === given.length && given.every((name) => used.has(name));
  if (!same) throw new Refusal('ValidationException', 'placeholders');
}

function toRow(value: unknown): Row {
  const row = value as Row;
  for (const attribute of Object.values(row)) checkValue(attribute);
  return row;
}

function checkValue(attribute: unknown): void {
  const [[type, content] = [], ...more] = Object.entries(attribute as object);
  const fine = type === 'S' || (type === 'N' && /^-?\d+(\.\d+)?$/.test(String(content)));
  if (!fine || typeof content !== 'string' || more.length > 0)
    throw new Refusal('ValidationException', 'value');
}

/** The table's key: `key` (HASH), a text that is not empty. */
function idOf(row: Row, alone: boolean): string {
  const { key, ...rest } = row;
  if (!key || !('S' in key) || !key.S) throw new Refusal('ValidationException', 'key');
  if (alone && Object.keys(rest).length > 0) throw new Refusal('ValidationException', 'key');
  if (Buffer.byteLength(key.S) > 2048) throw new Refusal('ValidationException', 'key size');
  return key.S;
}

function operands(input: Input, row: Row | undefined) {
  const names = input.ExpressionAttributeNames as Record<string, string>;
  const values = input.ExpressionAttributeValues as Record<string, Value>;
  for (const value of Object.values(values)) checkValue(value);
  return {
    at: (name: string) => row?.[names[name] ?? ''],
    given: (name: string) => values[name],
    name: (name: string) => String(names[name]),
  };
}

const toNumber = (value: Value | undefined) => (value && 'N' in value ? Number(value.N) : Number.NaN);

function holds(row: Row | undefined, input: Input): boolean {
  const { at, given } = operands(input, row);
  const until = toNumber(at('#until'));
  const now = toNumber(given(':now'));
  switch (input.ConditionExpression) {
    case 'attribute_not_exists(#key) OR #until <= :now':
      return at('#key') === undefined || until <= now;
    case '#version = :version AND #until > :now':
      return toNumber(at('#version')) === toNumber(given(':version')) && until > now;
    default:
      throw new Refusal('ValidationException', 'ConditionExpression');
  }
}

function update(row: Row, input: Input): Row {
  const { at, given, name } = operands(input, row);
  if (
    input.UpdateExpression !== 'SET #value = :value, #until = :until, #expires = :expires ADD #version :one'
  )
    throw new Refusal('ValidationException', 'UpdateExpression');
  const set = ['value', 'until', 'expires'].map((word) => [name(`#${word}`), given(`:${word}`)]);
  const sum = (at('#version') ? toNumber(at('#version')) : 0) + toNumber(given(':one'));
  return { ...row, ...Object.fromEntries(set), [name('#version')]: { N: String(sum) } };
}
