import { expect, it } from 'vitest';
import { createConcealment } from '../../../../src/settings/references/concealment.ts';

it('a secret that begins with another leaves no rest', () => {
  const { add, conceal } = createConcealment();
  add({ short: 'planted' });
  add(['planted-and-more']);
  expect(conceal('planted-and-more, planted')).toBe('[REDACTED], [REDACTED]');
});

it('the latest secrets are hidden, however many there were before', () => {
  const { add, conceal } = createConcealment();
  for (let reload = 0; reload < 1_500; reload += 1)
    add({ kept: 'the-same-key', lease: `lease-${reload}-end` });
  expect(conceal('the-same-key, lease-1499-end, lease-600-end')).toBe('[REDACTED], [REDACTED], [REDACTED]');
});

it('all secrets that were added together are hidden', () => {
  const { add, conceal } = createConcealment();
  add(Array.from({ length: 1_200 }, (_, index) => `secret-${index}-end`));
  expect(conceal('secret-0-end, secret-1199-end')).toBe('[REDACTED], [REDACTED]');
});

it('of a text of several lines each line is a secret', () => {
  const { add, conceal } = createConcealment();
  add('-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nab\n');
  expect(conceal('  MIIEvQIBADANBgkq')).toBe('  [REDACTED]');
  expect(conceal("'MIIEvQIBADANBgkq\\nab'")).toBe("'[REDACTED]\\nab'");
});

it('what has no form in an address is hidden as it is', () => {
  const { add, conceal } = createConcealment();
  add('planted\ud800');
  expect(conceal('a planted\ud800 text')).toBe('a [REDACTED] text');
});

it('certificates are no secrets, and a private key beside them is one', () => {
  const body = (kind: string) => Array.from({ length: 3 }, (_, index) => `${kind}${index}`.repeat(16));
  const pem = (label: string, kind: string) =>
    [`-----BEGIN ${label}-----`, ...body(kind), `-----END ${label}-----`, ''].join('\n');
  const { add, conceal, hides } = createConcealment();
  add(pem('CERTIFICATE', 'cert'));
  expect(hides()).toBe(false);
  add(pem('PRIVATE KEY', 'priv') + pem('CERTIFICATE', 'cert'));
  expect(conceal(`${body('priv')[1]} ${body('cert')[1]}`)).toBe(`[REDACTED] ${body('cert')[1]}`);
});

it('a secret of thousands of lines delays no text that is shorter than its lines', () => {
  const { add, conceal } = createConcealment();
  add(Array.from({ length: 4_000 }, (_, index) => `${index}`.padStart(64, '+/')).join('\n'));
  conceal('a first text');
  const begun = performance.now();
  for (let line = 0; line < 1_000; line += 1) conceal('tool sales_by_region ok 4.2 ms 12 rows ada');
  // Seconds if each form were searched.
  expect(performance.now() - begun).toBeLessThan(500);
});
