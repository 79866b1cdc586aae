import { expect, it } from 'vitest';
import { allowedAttributes } from '../../../src/telemetry/allowed.ts';

// Requirements: privacy.credentials, privacy.personal, privacy.sql
it('lets through what the spec names for a span, bounded, and nothing else', () => {
  const attributes = {
    'svc.endpoint.name': 'x'.repeat(1_000),
    'db.statement': 'SELECT 1',
    'user.email': 'a@b',
  };
  expect(allowedAttributes('svc.endpoint.execute', attributes)).toEqual({
    'svc.endpoint.name': 'x'.repeat(256),
  });
  expect(allowedAttributes('svc.something.else', attributes)).toEqual({});
});
