import { AwsV4Signer } from 'aws4fetch';
import { SvcError } from '../../src/errors.ts';
import type { Environment } from '../../src/settings/environment.ts';

/** A value as DynamoDB writes it: a text, or a number in digits. */
export type Attribute = { readonly S: string } | { readonly N: string };
export type Item = Readonly<Record<string, Attribute | undefined>>;

/** The parts of DynamoDB's response that are used here. */
export interface DynamoResponse {
  readonly Item?: Item;
  /** True if the condition of a write did not hold. `Item` is then the present item, if the write asked for it. */
  readonly conflict?: true;
}

/**
 * Sends an operation to DynamoDB, up to four times while it is busy or does not answer. A write may have taken effect before it
 * is sent again.
 */
export type AskDynamo = (operation: string, input: object) => Promise<DynamoResponse>;

/** The location of the table. Null means the region of the function, and AWS's own address there. */
export interface DynamoTable {
  readonly region: string | null;
  readonly endpoint: string | null;
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 50;
const ATTEMPT_MS = 2_000;
const BUSY = /^(Throttling|ThrottlingException|ProvisionedThroughputExceededException|RequestLimitExceeded)$/;

/** Creates a client of DynamoDB's JSON protocol from Lambda's environment variables. Throws config_invalid without them. */
export function createDynamo({ region: written, endpoint }: DynamoTable, env: Environment): AskDynamo {
  const region = written ?? need(env, 'AWS_REGION');
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(endpoint ?? `https://dynamodb.${region}.${domain}/`);
  const credentials: Credentials = {
    accessKeyId: need(env, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: need(env, 'AWS_SECRET_ACCESS_KEY'),
    sessionToken: env.AWS_SESSION_TOKEN || null,
  };
  return async (operation, input) => {
    const unsigned = { url, headers: headersOf(operation), body: JSON.stringify(input) };
    for (let attempt = 1; ; attempt += 1) {
      const scope = { credentials, region, service: 'dynamodb', now: new Date() };
      const outcome = await send(url, await sign(unsigned, scope), unsigned.body);
      if ('answer' in outcome) return outcome.answer;
      if (!outcome.again || attempt === ATTEMPTS) throw refused(operation, outcome.reason);
      await pause(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  };
}

function headersOf(operation: string): Record<string, string> {
  return { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` };
}

type Outcome = { readonly answer: DynamoResponse } | { readonly again: boolean; readonly reason: string };

async function send(url: URL, headers: Headers, body: string): Promise<Outcome> {
  try {
    const signal = AbortSignal.timeout(ATTEMPT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    const text = await response.text();
    if (response.ok) return { answer: JSON.parse(text) as DynamoResponse };
    const type = typeOf(text);
    if (type === 'ConditionalCheckFailedException')
      return { answer: { ...(JSON.parse(text) as DynamoResponse), conflict: true } };
    return { again: response.status >= 500 || BUSY.test(type), reason: `${response.status} ${type}`.trim() };
  } catch (thrown) {
    return { again: true, reason: thrown instanceof Error ? thrown.name : 'no answer' };
  }
}

/** Returns the name of an error without its namespace. The rest of the answer is not shown. */
function typeOf(text: string): string {
  const [, name = ''] = /"__type"\s*:\s*"(?:[\w.]+#)?(\w+)"/.exec(text) ?? [];
  return name;
}

function refused(operation: string, reason: string): SvcError {
  return new SvcError(
    'login_unavailable',
    `DynamoDB did not answer ${operation} (${reason}), so sessions cannot be stored.
Check that the table of \`auth.persistence.table\` is there, and that the function's role may use it.`,
  );
}

function need(env: Environment, name: string): string {
  const value = env[name];
  if (value) return value;
  const message = `\`auth.persistence.type\` is dynamodb, and ${name} is not set; Lambda sets it for a function with a role.`;
  throw new SvcError('config_invalid', message);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The credentials that Lambda puts into the environment of a function. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** The service, region and time that a signature is valid for. */
interface SignScope {
  readonly credentials: Credentials;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

/** A POST before it is signed. */
interface Unsigned {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the headers of a POST with its signature (AWS Signature Version 4). */
export async function sign({ url, headers, body }: Unsigned, scope: SignScope): Promise<Headers> {
  const { credentials, region, service, now } = scope;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new AwsV4Signer({
    method: 'POST',
    url: url.href,
    headers: { ...headers },
    body,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === null ? {} : { sessionToken }),
    region,
    service,
    datetime: now.toISOString().replace(/[-:]|\.\d+/g, ''),
  });
  return (await signer.sign()).headers;
}
