import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { VERSION } from '../version.ts';
import { type AdminRoute, ROUTES } from './routes.ts';
import { FAILURE } from './schemas.ts';

type Json = { readonly [key: string]: unknown };

/** The OpenAPI 3.1 document of the admin API, made from the schemas of its responses. */
export function toOpenApi(): Json {
  const paths = ROUTES.map((route) => [route.path, { [route.method]: toOperation(route) }]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'svc admin API',
      version: VERSION,
      description: 'State of an svc server, for users who may open its Unix socket.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://localhost', description: 'The Unix socket at SVC_ADMIN_SOCKET' }],
    security: [],
    paths: Object.fromEntries(paths),
    components: { schemas: { Failure: schemaOf(FAILURE) } },
  };
}

function toOperation({ id, summary, parameters, response }: AdminRoute): Json {
  return {
    operationId: id,
    summary,
    ...(parameters === undefined ? {} : { parameters: toParameters(parameters) }),
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: schemaOf(response) } } },
      default: {
        description: 'An error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      },
    },
  };
}

/** Schemas of the values that query parameters contain as text. */
const WRITTEN: { readonly [name: string]: Json } = {
  start_time: { type: 'string', format: 'date-time' },
  end_time: { type: 'string', format: 'date-time' },
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  offset: { type: 'integer', minimum: 0, default: 0 },
};

function toParameters(schema: NonNullable<AdminRoute['parameters']>): readonly Json[] {
  return Object.entries(schema.entries).map(([name, entry]) => ({
    name,
    in: 'query',
    required: false,
    schema: WRITTEN[name] ?? schemaOf(entry),
  }));
}

function schemaOf(schema: v.GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' });
  return rest;
}
