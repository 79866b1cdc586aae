import { describe, expect, it } from 'vitest';
import { senderOf } from '../../../src/auth/sender.ts';

const request = new Request('http://localhost/mcp');

describe('sign-in by the host', () => {
  it('fills the facts that the host does not state', async () => {
    const { user } = await senderOf(async () => ({ user: { id: 'ada', groups: ['staff'] } }), request);
    expect(user).toMatchObject({ id: 'ada', groups: ['staff'], email: null, permissions: [], claims: {} });
  });

  it('gives no scope that the host does not name, and says which are missing', async () => {
    const without = await senderOf(async () => ({ user: { id: 'ada' } }), request);
    expect(without.grant?.scopes).toEqual([]);
    expect(without.grant?.refuse(['sales:read'])).toMatchObject({
      code: 'scope_insufficient',
      detail: { challenge: 'Bearer error="insufficient_scope", scope="sales:read"' },
    });
    const holder = await senderOf(async () => ({ user: { id: 'ada' }, scopes: ['sales:read'] }), request);
    expect(holder.grant?.scopes).toEqual(['sales:read']);
  });

  it('refuses an unknown sender, and admits an anonymous one without scopes', async () => {
    await expect(senderOf(async () => null, request)).rejects.toMatchObject({ code: 'token_missing' });
    const sender = await senderOf(async () => ({ user: null }), request);
    expect(sender).toMatchObject({ user: null, grant: { scopes: [] }, hidesCredentials: true });
  });
});
