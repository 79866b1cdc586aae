import type { Finding } from '../../project/finding.ts';
import type { Settings, StaticClient } from '../model.ts';
import { type Pointed, point } from './settings.ts';

type Problem = Pick<Finding, 'code' | 'message' | 'fix'> & { readonly key: keyof StaticClient };

/** Reports static clients that could never get a token (spec, "Static client fields"). */
export function checkClients({ auth: { clients } }: Settings, at: Pointed): readonly Finding[] {
  return clients.flatMap((client, index) =>
    problemsOf(client, index, clients).map(({ key, ...problem }) => ({
      ...point(at, ['profile', 'auth', 'clients', index, key], problem),
      severity: 'warning' as const,
    })),
  );
}

function problemsOf(client: StaticClient, index: number, all: readonly StaticClient[]): readonly Problem[] {
  const { client_id, client_secret, redirect_uris, grant_types } = client;
  const problems: Problem[] = [];
  if (all.findIndex((other) => other.client_id === client_id) !== index) {
    const message = 'is also the id of an earlier client.';
    problems.push({ key: 'client_id', code: 'duplicate-name', message, fix: 'Change one of them.' });
  }
  if (grant_types.includes('authorization_code') && redirect_uris.length === 0) {
    const message = 'is missing, so nobody can sign in with this client.';
    const fix = 'List its redirect addresses, or remove authorization_code from grant_types.';
    problems.push({ key: 'redirect_uris', code: 'client-unusable', message, fix });
  }
  if (grant_types.includes('client_credentials') && client_secret === null) {
    const message = 'has client_credentials, which only a client with a secret may use.';
    problems.push({ key: 'grant_types', code: 'client-unusable', message, fix: 'Add client_secret.' });
  }
  return problems;
}
