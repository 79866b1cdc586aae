import { expect, it } from 'vitest';
import { auditSettingsOf, createLineAudit, enforceBuiltAudit } from '../../../../adapters/artefact/audit.ts';
import { createAudit } from '../../../../adapters/artefact/no-audit.ts';
import type { CallRecord } from '../../../../src/call/call-record.ts';
import { NO_DECISION } from '../../../../src/policy/decision.ts';
import type { AuditSettings } from '../../../../src/project/site-model.ts';
import { contextOf } from '../../call/project.ts';

const BUILT: AuditSettings = {
  enabled: false,
  path: 'audit/logs-default.jsonl',
  maxFileSize: 1_024,
  retentionDays: null,
  onError: 'block',
  inputs: true,
  outputs: false,
};
const CALL: CallRecord = {
  kind: 'tool',
  name: 'gone',
  entry: null,
  context: contextOf(null),
  args: {},
  status: 'error',
  startedAt: 1_786_000_000_000,
  durationMs: 1,
  decision: NO_DECISION,
  traceId: null,
  error: null,
  result: null,
};

const HOSTILE = '\u001b[2J\u009b31m\u202eevil\u2028';

it.each([
  [undefined, false],
  ['', false],
  ['1', true],
  ['true', true],
  ['maybe', false],
])('SVC_AUDIT_ENABLED=%s on an artefact without audit: %s', (text, enabled) => {
  expect(auditSettingsOf(BUILT, { SVC_AUDIT_ENABLED: text }).enabled).toBe(enabled);
});

// Requirements: env.SVC_AUDIT_ENABLED
it.each([
  [false, 'true', /was built without audit/],
  [false, ' ON ', /was built without audit/],
  [false, 'Y', /is Y, but must be true or false/],
  [true, 'bogus', /is bogus, but must be true or false/],
])('with audit: %s, an artefact does not start with SVC_AUDIT_ENABLED=%s', (enabled, text, message) => {
  const env = { SVC_AUDIT_ENABLED: text };
  expect(() => enforceBuiltAudit({ ...BUILT, enabled }, env)).toThrow(message);
});

it.each([
  [false, undefined],
  [false, ''],
  [false, 'off'],
  [true, 'off'],
  [true, '1'],
])('with audit: %s, an artefact starts with SVC_AUDIT_ENABLED=%s', (enabled, text) => {
  const env = { SVC_AUDIT_ENABLED: text };
  expect(() => enforceBuiltAudit({ ...BUILT, enabled }, env)).not.toThrow();
});

// Requirements: env.SVC_AUDIT_ENABLED
it('is switched off by SVC_AUDIT_ENABLED', () => {
  expect(auditSettingsOf({ ...BUILT, enabled: true }, { SVC_AUDIT_ENABLED: 'no' }).enabled).toBe(false);
});

it('writes one line of each call, which no log line is taken for', () => {
  const lines: string[] = [];
  expect(createLineAudit(BUILT, (line) => void lines.push(line))).toEqual({});
  const { observe, admit } = createLineAudit({ ...BUILT, enabled: true }, (line) => void lines.push(line));
  observe?.(CALL);
  expect(() => admit?.()).not.toThrow();
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    type: 'audit',
    record_id: expect.any(String),
    operation_name: 'gone',
  });
});

it('has no character of a caller that a terminal obeys, and loses none', () => {
  const lines: string[] = [];
  const { observe } = createLineAudit({ ...BUILT, enabled: true }, (line) => void lines.push(line));
  observe?.({ ...CALL, name: HOSTILE });
  expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ operation_name: HOSTILE });
});

it('refuses calls that are to be recorded by an artefact without the code for it', () => {
  const { observe, admit } = createAudit();
  observe(CALL);
  expect(() => admit()).toThrow(/built without audit/);
});
