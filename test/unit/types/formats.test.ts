import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../src/types/formats.ts';
import { FORMAT_NAMES, type Format } from '../../../src/types/node.ts';
import { cpuMs } from '../cpu.ts';

const GOOD: Record<Format, readonly string[]> = {
  email: ['a@b.ch', "o'neil+x@mail.example.org", `${'a'.repeat(64)}@example.org`],
  uri: [
    'https://example.org/a?b=c#d',
    'urn:isbn:0451450523',
    'mailto:ada@example.org',
    'file:///tmp/x',
    'http://[2001:db8::1]:8080/',
    'https://user:pw@example.org:443/%C3%A9',
  ],
  date: ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'],
  time: ['00:00:00', '23:59:59.999999', '10:00:00Z', '10:00:00+05:30'],
  'date-time': ['2024-02-29T10:00:00Z', '2024-02-29 10:00:00', '2024-02-29t10:00:00.5+02:00'],
  duration: ['P1D', 'P2W', 'PT0S', 'P1Y2M3DT4H5M6.5S', '-P1D', 'P-1Y', 'PT-0.5S', 'PT36H'],
  timestamp: ['0', '1700000000', '1700000000.123456', '-1', '1.7e9', '253402300799.999999', '-62135596800.0'],
};

const BAD: Record<Format, readonly string[]> = {
  email: [
    'a',
    '@b.ch',
    'a@b',
    'a b@c.ch',
    'a@-b.ch',
    'a..b@c.ch',
    'a@b..ch',
    `${'a'.repeat(65)}@b.ch`,
    'a@b.ch ',
  ],
  uri: [
    'example.org',
    '//example.org',
    'https:',
    'http://exa mple.org',
    'http://x/%zz',
    'a b:c',
    'http://[x]/',
    '',
  ],
  date: [
    '2024-02-30',
    '2023-02-29',
    '1900-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-1-1',
    '0000-01-01',
    '20240101',
  ],
  time: ['24:00:00', '10:60:00', '10:00:60', '10:00', '10:00:00+16:00', '10:00:00+0530', '1:00:00'],
  'date-time': ['2024-02-30T10:00:00Z', '2024-02-29', '2024-02-29T25:00:00', '2024-02-29  10:00:00', 'now'],
  duration: ['P', 'PT', 'P1', '1D', 'P1S', 'P1W2D', 'P1DT', 'PT1.5H', 'P999999999999Y', ''],
  timestamp: [
    '',
    'now',
    '0x1',
    'NaN',
    '1e15',
    '-62135596801',
    '-62135596800.000001',
    '253402300800',
    '2024-01-01',
  ],
};

describe.each(FORMAT_NAMES)('%s', (format) => {
  const { accepts, example } = formatOf(format);

  // Requirements: endpoint.types
  it.each([...GOOD[format], example])('takes %s', (text) => expect(accepts(text)).toBe(true));
  it.each(BAD[format])('refuses %j', (text) => expect(accepts(text)).toBe(false));

  it('answers long noise at once', () => {
    const start = cpuMs();
    for (const unit of ['a', '1', '@', 'a.', '%41', 'a@', '-', ':', 'P1Y', ' ']) {
      accepts(unit.repeat(200_000));
      accepts(`a@${unit.repeat(200_000)}!`);
      accepts(`http://${unit.repeat(200_000)}^`);
    }
    expect(cpuMs() - start).toBeLessThan(20_000);
  });
});

describe('in Python', () => {
  const page = readFileSync('docs/reference/python.md', 'utf8');
  const converters = readFileSync('adapters/python/host/svc/_arguments.py', 'utf8');

  it.each(FORMAT_NAMES)('%s stands in the reference, and its converter exists', (format) => {
    const { python } = formatOf(format);
    expect(page).toMatch(new RegExp(python === null ? `formats .*\`${format}\`` : `format: ${format}\` \\|`));
    if (python !== null) expect(converters).toContain(`"${python.kind}": `);
  });
});
