import { describe, expect, it } from 'vitest';
import { createKeyRing, parseKeys } from '../../../src/crypto/keys.ts';
import { folder, svc } from './svc.ts';

describe('svc auth keygen', () => {
  it('prints one entry for SVC_AUTH_KEYS, and how to rotate', async () => {
    const { code, stdout, stderr } = await svc(['auth', 'keygen'], folder());
    expect(code).toBe(0);
    const [kid = '', secret = ''] = stdout.trim().split(':');
    expect(createKeyRing(parseKeys([{ kid, secret }])).first.secret.byteLength).toBe(32);
    expect(stderr).toContain('To rotate');
    expect(stderr).not.toContain(secret);
  });

  it('makes another one each time, as JSON where asked', async () => {
    const cwd = folder();
    const made = await Promise.all([1, 2].map(() => svc(['auth', 'keygen', '--json'], cwd)));
    const [one, other] = made.map(({ stdout }) => JSON.parse(stdout));
    expect(one).toEqual({
      status: 'ok',
      kid: one.kid,
      secret: one.secret,
      entry: `${one.kid}:${one.secret}`,
    });
    expect(one.secret).not.toBe(other.secret);
  });

  it.each([[['name']], [['--scope', 'a']], [['--expires', '2030-01-31']]])('takes no %j', async (more) => {
    const { code, stdout, stderr } = await svc(['auth', 'keygen', ...more], folder());
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('svc auth keygen takes no name, --scope or --expires');
  });

  it('knows no other action', async () => {
    const { code, stderr } = await svc(['auth', 'dance'], folder());
    expect(code).toBe(2);
    expect(stderr).toContain('svc auth keygen');
  });
});
