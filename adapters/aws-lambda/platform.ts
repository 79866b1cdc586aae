import type { Writable } from 'node:stream';
import type { HttpHead } from './result.ts';

/** What Lambda tells about one invocation; the parts used here. */
export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** The global `awslambda` of the managed Node runtime. */
export interface AwsLambda {
  streamifyResponse(handler: StreamHandler): unknown;
  readonly HttpResponseStream: { from(stream: Writable, head: HttpHead): Writable };
}

/** A handler that answers at once with a whole payload. */
export type BufferedHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** A handler that writes its answer as it comes. */
export type StreamHandler = (event: unknown, stream: Writable, context: LambdaContext) => Promise<void>;

/** The runtime's streaming interface; null where it has none. */
export function awsLambda(): AwsLambda | null {
  const found: unknown = Reflect.get(globalThis, 'awslambda');
  return isAwsLambda(found) ? found : null;
}

function isAwsLambda(value: unknown): value is AwsLambda {
  return typeof value === 'object' && value !== null && 'streamifyResponse' in value;
}
