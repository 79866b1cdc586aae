import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RECORD_FIELDS } from '../../../src/audit/record.ts';
import { FILTER_NAMES } from '../../../src/template/filters.ts';
import { GLOBAL_NAMES } from '../../../src/template/scope.ts';
import { TEST_NAMES } from '../../../src/template/tests.ts';

const METRICS = 'adapters/otel/metrics.ts';

/** The names of a list that a page, written by hand, does not have between backticks. */
function missingFrom(page: string, names: readonly string[]): readonly string[] {
  const text = readFileSync(page, 'utf8');
  return names.filter((name) => !text.includes(`\`${name}\``));
}

describe('pages written by hand', () => {
  it('explain each field of the audit record', () => {
    expect(missingFrom('docs/how-to/audit.md', Object.keys(RECORD_FIELDS))).toEqual([]);
    expect(missingFrom('docs/how-to/audit.md', ['record_id', 'no_such_field'])).toEqual(['no_such_field']);
  });

  it('name each filter, test and name of templates', () => {
    const page = 'docs/reference/templates.md';
    expect(missingFrom(page, [...FILTER_NAMES, ...TEST_NAMES, ...GLOBAL_NAMES])).toEqual([]);
  });

  it('name each metric', () => {
    const created = readFileSync(METRICS, 'utf8').matchAll(/\.create\w+\('([\w.]+)'/g);
    const metrics = Array.from(created, ([, name = '']) => name);
    expect(metrics).toContain('svc.endpoint.requests_total');
    expect(missingFrom('docs/how-to/operate.md', metrics)).toEqual([]);
  });
});
