/* The public API on AWS Lambda: `svc-kit/aws-lambda`. */
export { createLambdaHandler, type LambdaHandlerOptions } from './handler.ts';
export type { InvocationIds, InvocationScope } from './invocation.ts';
