import type { Environment } from '../../src/settings/environment.ts';
import { enforceStore, type OpenStore } from '../artefact/auth.ts';

/** Returns a function that opens the DynamoDB table of `auth.persistence` with the role of the function. */
export function storeWith(env: Environment): OpenStore {
  return async (persistence) => {
    const { table, region, endpoint } = enforceStore(persistence, 'dynamodb');
    const { createDynamo } = await import('./dynamodb.ts');
    const { createDynamoStore } = await import('./token-store.ts');
    return createDynamoStore(createDynamo({ region, endpoint }, env), table);
  };
}
